#include "unwind/path_table.h"

#include <algorithm>
#include <cassert>

namespace pgokit::unwind {

u32 PathTable::node(std::span<const Place> calls, std::span<const u64> hashes) {
  assert(hashes.size() == calls.size() + 1 && hashes[0] == empty_hash);
  if (calls.empty()) return root;
  if (u32 key = find(hashes.back()); key != unknown) return key;
  u32 key = find_key(calls, hashes);
  known_[key_of(hashes.back())].key = key;
  return key;
}

u32 PathTable::find_key(std::span<const Place> calls, std::span<const u64> hashes) {
  bool recursive = has_recursion(calls, longest_recursion_);
  if (!recursive && calls.size() <= max_depth_) return chain(calls, hashes);

  compressed_.assign(calls.begin(), calls.end());
  if (recursive) compress_recursion(compressed_, longest_recursion_);
  if (compressed_.size() > max_depth_)
    compressed_.erase(compressed_.begin(), compressed_.end() - max_depth_);
  compressed_hashes_.assign(1, empty_hash);
  for (Place call : compressed_)
    compressed_hashes_.push_back(extend_hash(compressed_hashes_.back(), call));
  return chain(compressed_, compressed_hashes_);
}

u32 PathTable::chain(std::span<const Place> calls, std::span<const u64> hashes) {
  size_t depth = calls.size();
  u32 node = root;
  for (; depth > 0; --depth) {
    const Known* found = known_.find(key_of(hashes[depth]));
    if (!found || found->literal == unknown) continue;
    node = found->literal;
    break;
  }
  for (; depth < calls.size(); ++depth) node = child(node, calls[depth], hashes[depth + 1]);
  return node;
}

u32 PathTable::child(u32 parent, Place call, u64 hash) {
  Known& known = known_[key_of(hash)];
  if (known.literal == unknown) {
    known.literal = static_cast<u32>(nodes_.size());
    nodes_.push_back({parent, call});
  }
  return known.literal;
}

u32 CallStack::new_node(u32 frame, PathTable& table) {
  calls_.clear();
  hashes_.clear();
  for (; frame != bottom && frames_[frame].call != outside; frame = frames_[frame].caller) {
    calls_.push_back(frames_[frame].call);
    hashes_.push_back(frames_[frame].hash);
  }
  hashes_.push_back(PathTable::empty_hash);
  std::ranges::reverse(calls_);
  std::ranges::reverse(hashes_);
  return table.node(calls_, hashes_);
}

}  // namespace pgokit::unwind
