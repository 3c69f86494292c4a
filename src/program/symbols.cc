#include "program/symbols.h"

#include <algorithm>

namespace pgokit::program {

bool is_decoded(const object::Section& section) {
  return section.executable && section.size > 0 && section.name != ".plt";
}

CodeSymbols::CodeSymbols(const object::File& file) {
  if (!file.has_symbols()) return;
  std::vector<bool> decoded(file.sections().size());
  for (const auto& section : file.sections()) decoded[section.index] = is_decoded(section);
  for (const auto& symbol : file.symbols())
    if (symbol.section < decoded.size() && decoded[symbol.section])
      symbols_.push_back({symbol.address, symbol.name});
  std::ranges::stable_sort(symbols_, {}, &CodeSymbol::address);
}

std::span<const CodeSymbol> CodeSymbols::inside(u64 start, u64 end) const {
  auto first = std::ranges::lower_bound(symbols_, start, {}, &CodeSymbol::address);
  auto last = std::ranges::lower_bound(first, symbols_.end(), end, {}, &CodeSymbol::address);
  return {first, last};
}

}  // namespace pgokit::program
