#pragma once

// Which function of a program an address is in, by its symbols: the names that linkers know.
//
//   order::CodeFunctions functions(symbols, model);
//   auto at = functions.at(address);          // .function, .is_start; nullopt: in none

#include <optional>

#include "order/model.h"
#include "order/symbols.h"

namespace pgokit::order {

class CodeFunctions {
 public:
  // Functions are added to the model when they are first hit.
  CodeFunctions(const LinkSymbols& symbols, Model& model);

  struct At {
    u32 symbol = 0;
    bool is_start = false;
  };
  std::optional<At> at(u64 address) const;
  // The function of the model; not for two threads at a time.
  u32 function(u32 symbol);

 private:
  const LinkSymbols& symbols_;
  Model& model_;
  std::vector<u32> by_address_;  // symbols, one per address
};

}  // namespace pgokit::order
