#pragma once

// Counts how often things happened at nodes: written down one after the other, then sorted and
// summed. Most pairs of a node and a thing are rare, so a hash map would be a cache miss for each.
//
//   NodeLog log(limit);
//   log.add(node, thing, weight);
//   for (const auto& entry : log.sorted()) use(entry.node(), entry.thing(), entry.count);

#include <vector>

#include "base/types.h"

namespace pgokit::unwind {

class NodeLog {
 public:
  // `limit`: entries that may wait to be summed.
  explicit NodeLog(size_t limit = 1 << 22) : limit_(limit) {}

  void add(u32 node, u32 thing, u64 weight) {
    u64 key = u64{node} << 32 | thing;
    if (weight == 1) [[likely]]
      single_.push_back(key);
    else
      summed_.push_back({key, weight});
    if (single_.size() + summed_.size() - known_ >= limit_) [[unlikely]]
      sum();
  }

  // Takes over what another log has, with other numbers for the same nodes and things.
  void add_renumbered(NodeLog&& other, const std::vector<u32>& nodes,
                      const std::vector<u32>& things);

  struct Entry {
    u64 key = 0, count = 0;
    u32 node() const { return static_cast<u32>(key >> 32); }
    u32 thing() const { return static_cast<u32>(key); }
  };
  // By node, then by thing; each pair once.
  const std::vector<Entry>& sorted() {
    sum();
    return summed_;
  }

 private:
  void sum();

  size_t limit_;
  size_t known_ = 0;         // of summed_, when it was last in order
  std::vector<u64> single_;  // keys that happened once, in any order
  std::vector<Entry> summed_;
};

}  // namespace pgokit::unwind
