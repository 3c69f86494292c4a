#include "unwind/path_table.h"

#include <algorithm>
#include <cassert>

namespace pgokit::unwind {

u32 PathTable::node(std::span<const Place> calls, std::span<const u64> hashes) {
  assert(hashes.size() == calls.size() + 1 && hashes[0] == empty_hash);
  if (calls.empty()) return root;
  if (u32 key = find(hashes.back()).node; key != unknown) return key;
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

u32 PathTable::whole_child(u32 parent, Place call, u64 hash) {
  u32 node = child(parent, call, hash);
  known_[key_of(hash)].key = node;
  return node;
}

// Mostly nothing has to be left out: then it is as many steps as there are new calls, and the
// whole chain is not looked at.
void CallStack::add_node(u32 frame, PathTable& table) {
  new_frames_.clear();
  u32 node = PathTable::root;
  u32 coming = frames_[frame].caller;
  for (u32 at = frame; is_call(at); at = frames_[at].caller) {
    if (is_known(frames_[at], table)) {
      if (!frames_[at].whole) return add_shortened(frame, table);
      node = frames_[at].node;
      break;
    }
    new_frames_.push_back(at);
    // Where two are new there may be many.
    size_t known_new = new_frames_.size();
    for (int i = known_new == 1 ? 0 : known_new == 2 ? 8 : 1; i > 0 && is_call(coming); --i) {
      table.prefetch(frames_[coming].hash);
      coming = frames_[coming].caller;
    }
  }
  for (size_t i = new_frames_.size(); i-- > 0;) {
    Frame& fresh = frames_[new_frames_[i]];
    if (table.may_shorten([&] { return is_called_above(new_frames_[i]); })) [[unlikely]]
      return add_shortened(frame, table);
    node = table.whole_child(node, fresh.call, fresh.hash);
    fresh.node = node;
    fresh.whole = true;
  }
}

// Whether the call of a frame is among its callers' too: only then can it end a repetition.
bool CallStack::is_called_above(u32 frame) const {
  Place call = frames_[frame].call;
  for (u32 at = frames_[frame].caller; is_call(at); at = frames_[at].caller)
    if (frames_[at].call == call) return true;
  return false;
}

void CallStack::add_shortened(u32 frame, PathTable& table) {
  calls_.clear();
  hashes_.clear();
  for (u32 at = frame; is_call(at); at = frames_[at].caller) {
    calls_.push_back(frames_[at].call);
    hashes_.push_back(frames_[at].hash);
  }
  hashes_.push_back(PathTable::empty_hash);
  std::ranges::reverse(calls_);
  std::ranges::reverse(hashes_);
  table.node(calls_, hashes_);
  is_known(frames_[frame], table);
}

}  // namespace pgokit::unwind
