#pragma once

// Stacks while samples are read, by one thread: a tree that grows, and what it was seen with.
//
//   Collector collector(Times::dropped);
//   u32 node = 0;
//   for (u32 location : outermost_first) node = collector.child(node, location);
//   collector.add({.weight = period, .track = track, .node = node});

#include <vector>

#include "base/flat_map.h"
#include "base/saturated.h"
#include "stacks/model/stacks.h"

namespace pgokit::stacks {

// kept: each sample remains one; dropped: those of a track with the same stack are added up.
enum class Times : u8 { kept, dropped };

class Collector {
 public:
  explicit Collector(Times times) : times_(times) {}

  u32 child(u32 parent, u32 location) {
    u64 key = u64{parent} << 32 | location;
    auto [node, is_new] = children_.find_or_add(key, static_cast<u32>(nodes_.size()));
    if (is_new) nodes_.push_back({parent, location});
    return node;
  }

  void add(const Sample& sample) {
    if (times_ == Times::kept) return samples_.push_back(sample);
    u64 key = u64{sample.track} << 32 | sample.node;
    auto [place, is_new] = sums_.find_or_add(key, static_cast<u32>(samples_.size()));
    if (is_new) {
      samples_.push_back(sample);
      samples_.back().time = 0;
      return;
    }
    auto& sum = samples_[place];
    sum.count = add_saturated(sum.count, sample.count);
    sum.weight = add_saturated(sum.weight, sample.weight);
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  Times times_;
  FlatMap<u32> children_, sums_;  // of numbers under 2^32 - 1, so that no key is the map's own
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<Sample> samples_;
};

}  // namespace pgokit::stacks
