#include "samples/data_symbols.h"

#include <algorithm>

namespace pgokit::samples {

DataSymbols::DataSymbols(const object::File& file) {
  for (const auto& symbol : file.symbols())
    if (symbol.kind == object::SymbolKind::data && symbol.section != 0) symbols_.push_back(symbol);
  std::ranges::stable_sort(symbols_, {}, &object::Symbol::address);
}

const object::Symbol* DataSymbols::at(u64 address) const {
  auto next = std::ranges::upper_bound(symbols_, address, {}, &object::Symbol::address);
  if (next == symbols_.begin()) return nullptr;
  const auto& symbol = *std::prev(next);
  bool inside = symbol.size == 0 || address - symbol.address < symbol.size;
  return inside ? &symbol : nullptr;
}

}  // namespace pgokit::samples
