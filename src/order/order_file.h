#pragma once

// Order files: what tells a linker in which order functions shall lie.
//
//   order::OrderText written = order::write_order(placed, order::OrderFormat::lld);
//   order::OrderFile file = TRY(order::read_order(text));
//   for (std::string_view name : file.names) use(name);
//
//   lld         --symbol-ordering-file=F        symbols, one per line
//   gold        --section-ordering-file=F       input sections, one per line
//   ld          -T F                            a linker script that is put before the default one
//   ld64        -order_file F                   symbols with '_' in front; statics: object:symbol
//   call-graph  lld's --call-graph-ordering-file=F     caller, callee, weight
//
// mold 2 and older cannot be told an order.
// Source of truth: the manuals of the linkers; test/order links with each of them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::order {

enum class OrderFormat { lld, gold, ld, ld64, call_graph };

// A function at its place.
struct PlacedSymbol {
  std::string_view name;
  std::string_view section;  // that the object has it in; empty: not known
  std::string_view object;   // where that has to be said; empty: any
};

struct OrderText {
  std::string text;
  u64 left_out = 0;  // symbols or calls whose names would end a line, or a statement of a script
};

OrderText write_order(const std::vector<PlacedSymbol>& symbols, OrderFormat format);

struct PlacedCall {
  std::string_view from, to;
  u64 weight = 0;
};
OrderText write_call_graph(const std::vector<PlacedCall>& calls);

struct OrderFile {
  std::vector<std::string_view> names;  // each once, in the order of the file
  u64 repeated = 0;                     // lines that name a function again
};

// Of lld, gold or ld64; "#" begins a comment. Views point into the text. What is no text is
// refused.
Result<OrderFile> read_order(std::string_view text);

// Which linker a file with an order is for, by its form; nullopt: it is none. Of ld64's form, which
// differs in nothing but the names, it is said to be lld's.
std::optional<OrderFormat> order_format_of(std::string_view text);

}  // namespace pgokit::order
