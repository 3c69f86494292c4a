#include "order/call_clusters.h"

#include <algorithm>
#include <numeric>

#include "base/saturated.h"
#include "profile/model/function_samples.h"

namespace pgokit::order {
namespace {

constexpr u32 none = ~u32{0};
using Wide = unsigned __int128;

// Functions in clusters: linked lists, each known by its first function.
class Clusters {
 public:
  Clusters(const Model& model, const ClusterLimits& limits) : limits_(limits) {
    for (u32 f = 0; f < model.functions.size(); ++f) {
      const auto& function = model.functions[f];
      next_.push_back(none);
      last_.push_back(f);
      leader_.push_back(f);
      size_.push_back(std::max<u64>(1, function.size));
      weight_.push_back(function.weight);
    }
  }

  u32 of(u32 function) {
    while (leader_[function] != function) function = leader_[function] = leader_[leader_[function]];
    return function;
  }

  bool may_append(u32 to, u32 what) const {
    u64 size = size_[to] + size_[what];
    if (size > limits_.size) return false;
    // (w1 + w2) / size >= w1 / s1 / dilution
    Wide weight = Wide{weight_[to]} + weight_[what];
    return weight * size_[to] * limits_.dilution >= Wide{weight_[to]} * size;
  }

  void append(u32 to, u32 what) {
    next_[last_[to]] = what;
    last_[to] = last_[what];
    leader_[what] = to;
    size_[to] += size_[what];
    weight_[to] = add_saturated(weight_[to], weight_[what]);
  }

  // Densest first; equals by number.
  std::vector<u32> by_density() {
    std::vector<u32> leaders;
    for (u32 f = 0; f < leader_.size(); ++f)
      if (leader_[f] == f) leaders.push_back(f);
    std::ranges::stable_sort(leaders, [&](u32 a, u32 b) {
      return Wide{weight_[a]} * size_[b] > Wide{weight_[b]} * size_[a];
    });
    return leaders;
  }

  template <class Each>
  void for_each(u32 leader, Each each) const {
    for (u32 f = leader; f != none; f = next_[f]) each(f);
  }

 private:
  const ClusterLimits limits_;
  std::vector<u32> next_, last_, leader_;
  std::vector<u64> size_, weight_;
};

// Of each function: who calls it most, if that is a good part of all its calls.
std::vector<u32> main_callers(const Model& model, u64 share) {
  std::vector<u64> most(model.functions.size()), all(model.functions.size());
  std::vector<u32> callers(model.functions.size(), none);
  for (const auto& call : model.calls) {
    if (call.from == call.to) continue;
    all[call.to] = add_saturated(all[call.to], call.weight);
    if (call.weight <= most[call.to]) continue;
    most[call.to] = call.weight;
    callers[call.to] = call.from;
  }
  for (u32 f = 0; f < callers.size(); ++f)
    if (Wide{most[f]} * share < all[f]) callers[f] = none;
  return callers;
}

}  // namespace

std::vector<u32> call_clusters(const Model& model, const ClusterLimits& limits) {
  std::vector<bool> concerned(model.functions.size());
  for (const auto& call : model.calls) concerned[call.from] = concerned[call.to] = true;
  for (u32 f = 0; f < concerned.size(); ++f)
    if (model.functions[f].weight) concerned[f] = true;

  std::vector<u32> hottest(model.functions.size());
  std::iota(hottest.begin(), hottest.end(), 0u);
  std::ranges::stable_sort(hottest, std::greater{},
                           [&](u32 f) { return model.functions[f].weight; });
  auto callers = main_callers(model, limits.callers_share);
  Clusters clusters(model, limits);
  for (u32 function : hottest) {
    if (callers[function] == none) continue;
    u32 to = clusters.of(callers[function]), what = clusters.of(function);
    if (to != what && clusters.may_append(to, what)) clusters.append(to, what);
  }
  std::vector<u32> order;
  for (u32 leader : clusters.by_density())
    clusters.for_each(leader, [&](u32 f) {
      if (concerned[f]) order.push_back(f);
    });
  return order;
}

}  // namespace pgokit::order
