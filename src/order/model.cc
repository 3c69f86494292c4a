#include "order/model.h"

#include <algorithm>

#include "base/sort_and_sum.h"
#include "profile/model/function_samples.h"

namespace pgokit::order {

u32 Model::function(std::string_view name) {
  auto id = static_cast<u32>(names_.intern(name));
  if (id == functions.size()) functions.emplace_back();
  return id;
}

std::optional<u32> Model::find(std::string_view name) const {
  auto id = names_.find(name);
  return id ? std::optional(static_cast<u32>(*id)) : std::nullopt;
}

void Model::normalize() {
  std::erase_if(calls, [](const Call& call) { return call.weight == 0; });
  sort_and_sum(
      calls, [](const Call& call) { return std::pair(call.from, call.to); },
      [](Call& sum, const Call& call) { sum.weight = add_saturated(sum.weight, call.weight); });
  std::vector<u64> called(functions.size());
  for (const auto& call : calls) called[call.to] = add_saturated(called[call.to], call.weight);
  for (u32 f = 0; f < functions.size(); ++f)
    if (functions[f].weight == 0) functions[f].weight = called[f];
}

void Model::guess_sizes() {
  u64 sum = 0, known = 0;
  for (const auto& f : functions)
    if (f.size) sum += f.size, ++known;
  constexpr u64 usual = 256;
  u64 mean = known ? std::max<u64>(1, sum / known) : usual;
  for (auto& f : functions)
    if (f.size == 0) f.size = mean;
}

}  // namespace pgokit::order
