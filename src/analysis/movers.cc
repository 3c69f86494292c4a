#include "analysis/movers.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <cmath>

namespace pgokit::analysis {
namespace {

using profile::Columns;

std::string name_of(const Columns& columns, u32 function, Level level) {
  const auto& top = columns.functions[function];
  if (level == Level::context) return columns.context_text(top);
  std::string scratch;
  return std::string(columns.text(columns.node(top).name, scratch));
}

void add(Mover& mover, const FunctionOverlap& function) {
  // similarities of contexts are weighted by what they weigh in both
  double weight = mover.base_share + mover.test_share;
  double added = function.base_weight + function.test_weight;
  mover.similarity =
      weight + added > 0
          ? (mover.similarity * weight + function.similarity * added) / (weight + added)
          : function.similarity;
  mover.base_samples += function.base_samples;
  mover.test_samples += function.test_samples;
  mover.base_share += function.base_weight;
  mover.test_share += function.test_weight;
  mover.base_contexts += function.base != FunctionOverlap::absent;
  mover.test_contexts += function.test != FunctionOverlap::absent;
}

template <class Weight>
void sort_by(std::vector<Mover>& movers, Weight weight) {
  std::ranges::sort(movers, [&](const Mover& a, const Mover& b) {
    auto left = weight(a), right = weight(b);
    return left != right ? left > right : a.name < b.name;
  });
}

}  // namespace

Movers find_movers(const Overlap& overlap, const Columns& base, const Columns& test, Level level) {
  std::vector<Mover> all;
  tsl::robin_map<std::string, size_t> place_of;
  for (const auto& function : overlap.functions) {
    std::string name = function.base != FunctionOverlap::absent
                           ? name_of(base, function.base, level)
                           : name_of(test, function.test, level);
    auto [place, is_new] = place_of.emplace(name, all.size());
    if (is_new) all.push_back({.name = std::move(name)});
    add(all[place->second], function);
  }
  Movers movers;
  for (auto& mover : all) {
    auto& list = mover.base_contexts == 0   ? movers.added
                 : mover.test_contexts == 0 ? movers.vanished
                                            : movers.moved;
    list.push_back(std::move(mover));
  }
  // Of those that kept their share, what moved inside of them counts.
  sort_by(movers.moved, [](const Mover& m) {
    return std::pair(std::fabs(m.change()),
                     (1 - m.similarity) * std::max(m.base_share, m.test_share));
  });
  sort_by(movers.added, [](const Mover& m) { return m.test_share; });
  sort_by(movers.vanished, [](const Mover& m) { return m.base_share; });
  return movers;
}

}  // namespace pgokit::analysis
