#pragma once

// The functions of a model found in the link that is to be ordered.
//
//   order::Placement placement(model, symbols);
//   placement.adopt(model);                           // sizes and addresses are now the link's
//   auto placed = placement.symbols_of(order, model); // to write_order()
//   placement.facts().missing;
//
// Without symbols every name is taken as it stands.

#include <span>

#include "order/layout.h"
#include "order/model.h"
#include "order/order_file.h"
#include "order/symbols.h"

namespace pgokit::order {

struct PlacementFacts {
  u64 functions = 0;  // that were looked for
  u64 exactly = 0, by_base = 0, by_path = 0;
  std::vector<u32> missing;  // functions of the model that are not in the link
  struct Ambiguous {
    u32 function = 0;
    u64 symbols = 0;
    std::vector<std::string_view> files;  // a few of them
  };
  // Static functions share the name: linkers put all of them where one should be.
  std::vector<Ambiguous> ambiguous;
};

class Placement {
 public:
  Placement(const Model& model, const LinkSymbols& symbols);

  // Sizes and addresses become those of the link, and functions that are not in it leave traces
  // and calls. Without symbols nothing changes.
  void adopt(Model& model) const;
  // Where the model's functions lie in a linked program.
  Layout layout() const;
  const PlacementFacts& facts() const { return facts_; }

  // Symbols that share an address are named once.
  std::vector<PlacedSymbol> symbols_of(std::span<const u32> order, const Model& model) const;
  // Calls by the link's names; of functions that are several there, the first one stands for all.
  std::vector<PlacedCall> calls_of(const Model& model) const;

 private:
  void find_by_path(const Model& model);
  std::string_view first_name(u32 function, const Model& model) const;

  const LinkSymbols& symbols_;
  std::vector<Match> matches_;  // by function
  PlacementFacts facts_;
};

}  // namespace pgokit::order
