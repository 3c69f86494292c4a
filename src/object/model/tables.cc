#include "object/model/tables.h"

#include <numeric>
#include <tuple>

namespace pgokit::object {

void fill_sizes(std::vector<Symbol>& symbols, const std::vector<Section>& sections, bool relative) {
  std::vector<u32> order(symbols.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {},
                    [&](u32 i) { return std::tuple(symbols[i].section, symbols[i].address, i); });
  for (size_t i = 0, next = 0; i < order.size(); ++i) {
    Symbol& symbol = symbols[order[i]];
    if (symbol.section == 0 || symbol.section >= sections.size()) continue;
    const Section& section = sections[symbol.section];
    // The next one that begins behind it.
    for (next = std::max(next, i); next < order.size(); ++next) {
      const Symbol& other = symbols[order[next]];
      if (other.section != symbol.section || other.address > symbol.address) break;
    }
    u64 end = (relative ? 0 : section.address) + section.size;
    if (next < order.size() && symbols[order[next]].section == symbol.section)
      end = std::min(end, symbols[order[next]].address);
    bool has_size = symbol.kind != SymbolKind::section && symbol.kind != SymbolKind::file;
    symbol.size = has_size && end > symbol.address ? end - symbol.address : 0;
  }
}

}  // namespace pgokit::object
