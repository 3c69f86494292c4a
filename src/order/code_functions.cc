#include "order/code_functions.h"

#include <algorithm>

namespace pgokit::order {

CodeFunctions::CodeFunctions(const LinkSymbols& symbols, Model& model)
    : symbols_(symbols), model_(model) {
  const auto& all = symbols.all();
  for (u32 i = 0; i < all.size(); ++i)
    if (all[i].address) by_address_.push_back({all[i].address, all[i].size, i});
  // Of several symbols at one address the first global one stands for the code.
  std::ranges::stable_sort(by_address_, {}, [&](const Function& function) {
    return std::pair(function.address, all[function.symbol].is_static);
  });
  auto rest = std::ranges::unique(by_address_, {}, &Function::address);
  by_address_.erase(rest.begin(), rest.end());
  divide();
}

// However far apart functions are, there are at most eight stretches for each.
void CodeFunctions::divide() {
  if (by_address_.empty()) return;
  u64 span = by_address_.back().address - by_address_.front().address;
  while (span >> shift_ >= 8 * by_address_.size()) ++shift_;
  begins_.resize((span >> shift_) + 2);
  u32 function = 0;
  for (size_t stretch = 0; stretch < begins_.size(); ++stretch) {
    begins_[stretch] = function;
    while (function < by_address_.size() && stretch_of(by_address_[function].address) == stretch)
      ++function;
  }
}

std::optional<CodeFunctions::At> CodeFunctions::at(u64 address) const {
  if (by_address_.empty() || address < by_address_.front().address) return std::nullopt;
  // Of addresses behind the last function the last stretch is asked.
  size_t stretch = std::min<u64>(stretch_of(address), begins_.size() - 2);
  auto here = std::span(by_address_).subspan(0, begins_[stretch + 1]).subspan(begins_[stretch]);
  auto behind = std::ranges::upper_bound(here, address, {}, &Function::address);
  // Where none of the stretch begins before it, the last of those in front does: there is one.
  const auto& found = by_address_[begins_[stretch] + (behind - here.begin()) - 1];
  u64 offset = address - found.address;
  bool is_inside = offset < found.size || (found.size == 0 && offset < 4096);
  if (!is_inside) return std::nullopt;
  return At{found.symbol, offset == 0};
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
