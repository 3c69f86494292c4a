#include "order/code_functions.h"

#include <algorithm>

namespace pgokit::order {

CodeFunctions::CodeFunctions(const LinkSymbols& symbols, Model& model)
    : symbols_(symbols), model_(model) {
  const auto& all = symbols.all();
  for (u32 i = 0; i < all.size(); ++i)
    if (all[i].address) by_address_.push_back(i);
  // Of several symbols at one address the first global one stands for the code.
  std::ranges::stable_sort(by_address_, {},
                           [&](u32 i) { return std::pair(all[i].address, all[i].is_static); });
  auto rest = std::ranges::unique(by_address_, {}, [&](u32 i) { return all[i].address; });
  by_address_.erase(rest.begin(), rest.end());
}

std::optional<CodeFunctions::At> CodeFunctions::at(u64 address) const {
  const auto& all = symbols_.all();
  auto behind =
      std::ranges::upper_bound(by_address_, address, {}, [&](u32 i) { return all[i].address; });
  if (behind == by_address_.begin()) return std::nullopt;
  u32 symbol = *std::prev(behind);
  u64 offset = address - all[symbol].address;
  bool is_inside = offset < all[symbol].size || (all[symbol].size == 0 && offset < 4096);
  if (!is_inside) return std::nullopt;
  return At{symbol, offset == 0};
}

u32 CodeFunctions::function(u32 symbol) {
  const auto& found = symbols_.all()[symbol];
  u32 number = model_.function(found.name);
  auto& function = model_.functions[number];
  function.size = found.size;
  function.address = found.address;
  return number;
}

}  // namespace pgokit::order
