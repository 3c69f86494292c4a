#include "order/first_touch.h"

#include <algorithm>
#include <numeric>

namespace pgokit::order {

std::vector<u32> heaviest_first(const Model& model) {
  std::vector<u32> numbers(model.traces.size());
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::ranges::stable_sort(numbers, std::greater{}, [&](u32 t) { return model.traces[t].weight; });
  return numbers;
}

std::vector<u32> first_touch(const Model& model) {
  std::vector<u32> order;
  std::vector<bool> placed(model.functions.size());
  for (u32 number : heaviest_first(model))
    for (u32 function : model.traces[number].functions) {
      if (placed[function]) continue;
      placed[function] = true;
      order.push_back(function);
    }
  return order;
}

}  // namespace pgokit::order
