#include "unwind/node_log.h"

#include <algorithm>

namespace pgokit::unwind {

void NodeLog::sum() {
  std::ranges::sort(single_);
  std::ranges::sort(summed_, {}, &Entry::key);
  std::vector<Entry> all;
  auto add = [&](u64 key, u64 count) {
    if (all.empty() || all.back().key != key) return all.push_back({key, count});
    u64 sum;
    all.back().count = __builtin_add_overflow(all.back().count, count, &sum) ? ~u64{0} : sum;
  };
  auto single = single_.begin();
  for (const auto& entry : summed_) {
    for (; single != single_.end() && *single <= entry.key; ++single) add(*single, 1);
    add(entry.key, entry.count);
  }
  for (; single != single_.end(); ++single) add(*single, 1);
  single_.clear();
  summed_ = std::move(all);
  known_ = summed_.size();
  limit_ = std::max(limit_, known_);
}

void NodeLog::add_renumbered(NodeLog&& other, const std::vector<u32>& nodes,
                             const std::vector<u32>& things) {
  auto renumbered = [&](u64 key) {
    return u64{nodes[key >> 32]} << 32 | things[static_cast<u32>(key)];
  };
  for (u64 key : other.single_) single_.push_back(renumbered(key));
  for (const auto& entry : other.summed_) summed_.push_back({renumbered(entry.key), entry.count});
  other.single_ = {};
  other.summed_ = {};
}

}  // namespace pgokit::unwind
