#include "unwind/path_table.h"

#include <cassert>

namespace pgokit::unwind {

u32 PathTable::node(std::span<const Place> calls, std::span<const u64> hashes) {
  assert(hashes.size() == calls.size() + 1 && hashes[0] == empty_hash);
  if (calls.empty()) return root;
  if (auto found = known_.find(hashes.back()); found != known_.end())
    if (found->second.key != unknown) return found->second.key;
  u32 key = find_key(calls, hashes);
  known_[hashes.back()].key = key;
  return key;
}

u32 PathTable::find_key(std::span<const Place> calls, std::span<const u64> hashes) {
  bool recursive = rules_.compress && has_recursion(calls, rules_.longest_recursion);
  if (!recursive && calls.size() <= rules_.max_depth) return chain(calls, hashes);

  compressed_.assign(calls.begin(), calls.end());
  if (recursive) compress_recursion(compressed_, rules_.longest_recursion);
  if (compressed_.size() > rules_.max_depth)
    compressed_.erase(compressed_.begin(), compressed_.end() - rules_.max_depth);
  compressed_hashes_.assign(1, empty_hash);
  for (Place call : compressed_)
    compressed_hashes_.push_back(extend_hash(compressed_hashes_.back(), call));
  return chain(compressed_, compressed_hashes_);
}

u32 PathTable::chain(std::span<const Place> calls, std::span<const u64> hashes) {
  size_t depth = calls.size();
  u32 node = root;
  for (; depth > 0; --depth) {
    auto found = known_.find(hashes[depth]);
    if (found == known_.end() || found->second.literal == unknown) continue;
    node = found->second.literal;
    break;
  }
  for (; depth < calls.size(); ++depth) node = child(node, calls[depth], hashes[depth + 1]);
  return node;
}

u32 PathTable::child(u32 parent, Place call, u64 hash) {
  Known& known = known_[hash];
  if (known.literal == unknown) {
    known.literal = static_cast<u32>(nodes_.size());
    nodes_.push_back({parent, call});
  }
  return known.literal;
}

}  // namespace pgokit::unwind
