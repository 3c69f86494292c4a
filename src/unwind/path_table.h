#pragma once

// The calling contexts of one thread's samples: which chain of call sites is which node, after
// compression of recursion and the limit of depth.
//
//   PathTable table({.max_depth = 8});
//   CallStack stack;
//   stack.push(call_in_main);
//   stack.push(call_in_foo);
//   u32 frame = stack.top();                 // is there until the stack is reset
//   stack.pop();
//   u32 node = stack.node(frame, table);
//
// A chain is known by a hash of 64 bits, kept for every frame of the stack: pushing and popping
// cost nothing but that, and the table is asked once per frame that counts are attached to. Of n
// chains two fall together by mistake with a probability of about n²/2^65.

#include <span>
#include <vector>

#include "base/flat_map.h"
#include "unwind/context_policy.h"
#include "unwind/places.h"
#include "unwind/recursion.h"

namespace pgokit::unwind {

inline u64 extend_hash(u64 path, Place call) {
  auto product = static_cast<unsigned __int128>(path ^ (u64{call} + 0x2d358dccaa6c78a5u)) *
                 0x9e3779b97f4a7c15u;
  return static_cast<u64>(product >> 64) ^ static_cast<u64>(product);
}

class PathTable {
 public:
  static constexpr u32 root = 0;
  struct Node {
    u32 parent = root;
    Place call = outside;
  };

  explicit PathTable(const ContextPolicy& policy)
      : longest_recursion_(policy.longest_recursion),
        max_depth_(std::min(policy.limit(policy.max_depth), policy.limit(policy.max_call_sites))),
        nodes_(1) {}

  void prefetch(u64 hash) const { known_.prefetch(key_of(hash)); }
  // The node that counts of a chain belong to, by the hash of the chain; unknown: it is new.
  struct Found {
    u32 node = unknown;
    bool whole = false;  // it is the node of the chain itself: nothing is left out
  };
  Found find(u64 hash) const {
    const Known* found = known_.find(key_of(hash));
    return found ? Found{found->key, found->key == found->literal} : Found{};
  }
  // Whether a chain that extends a whole one by this call may have to leave something out; `has`
  // tells whether the chain has the call already.
  template <class Has>
  bool may_shorten(const Has& has) const {
    return max_depth_ < ~u32{0} || (longest_recursion_ != 0 && has());
  }
  // The node of a chain of which nothing is left out, by the node of its caller.
  u32 whole_child(u32 parent, Place call, u64 hash);
  // That of any chain; `hashes[i]` is that of the first i calls.
  u32 node(std::span<const Place> calls, std::span<const u64> hashes);
  // The node of exactly these calls below `parent`, by the hash of the whole chain.
  u32 child(u32 parent, Place call, u64 hash);

  const std::vector<Node>& nodes() const { return nodes_; }
  std::vector<Node> take_nodes() && {
    known_ = {};
    return std::move(nodes_);
  }
  static constexpr u64 empty_hash = 0x8bb84b93962eacc9u;
  static constexpr u32 unknown = ~u32{0};

 private:
  struct Known {
    u32 literal = unknown;  // the node of the chain itself
    u32 key = unknown;      // the node that its counts belong to
  };
  static u64 key_of(u64 hash) { return hash == FlatMap<Known>::no_key ? 0 : hash; }
  u32 find_key(std::span<const Place> calls, std::span<const u64> hashes);
  u32 chain(std::span<const Place> calls, std::span<const u64> hashes);

  i64 longest_recursion_;
  u32 max_depth_;            // only the innermost call sites are kept
  std::vector<Node> nodes_;  // [0] is the empty chain
  FlatMap<Known> known_;     // by hash
  std::vector<Place> compressed_;
  std::vector<u64> compressed_hashes_;
};

// The calls that lead to the place a sample is at. Calls outside of a frame that is not of the
// program are no context of those inside. What was popped is kept, so that nodes can be asked for
// later, when the table's answers had time to come into the cache.
class CallStack {
 public:
  // Deeper ones are taken for a new beginning: what a damaged file says must not cost without end.
  static constexpr u32 max_depth = 2048;
  static constexpr u32 bottom = 0;  // below the first call

  CallStack() { reset(); }

  // The frames of the sample before are gone.
  void reset() {
    frames_.assign(1, {.hash = PathTable::empty_hash, .node = PathTable::root});
    top_ = bottom;
  }
  void clear() { top_ = bottom; }
  bool empty() const { return top_ == bottom; }
  u32 top() const { return top_; }
  Place innermost() const { return frames_[top_].call; }

  void push(Place call) {
    if (frames_[top_].depth == max_depth) [[unlikely]]
      clear();
    const Frame& caller = frames_[top_];
    Frame frame{.hash = PathTable::empty_hash,
                .call = call,
                .caller = top_,
                .depth = static_cast<u16>(caller.depth + 1),
                .node = PathTable::root};
    if (call != outside) [[likely]] {
      frame.hash = extend_hash(caller.hash, call);
      frame.node = PathTable::unknown;
    }
    top_ = static_cast<u32>(frames_.size());
    frames_.push_back(frame);
  }
  void pop() { top_ = frames_[top_].caller; }

  void prefetch(u32 frame, const PathTable& table) const {
    if (frames_[frame].node == PathTable::unknown) table.prefetch(frames_[frame].hash);
  }
  u32 node(u32 frame, PathTable& table) {
    if (!is_known(frames_[frame], table)) [[unlikely]]
      add_node(frame, table);
    return frames_[frame].node;
  }

 private:
  struct Frame {
    u64 hash = 0;  // of the calls from the last one outside to this one
    Place call = outside;
    u32 caller = bottom;
    u16 depth = 0;
    bool whole = false;  // `node` is that of the chain itself
    u32 node = PathTable::unknown;
  };
  static_assert(sizeof(Frame) == 24);

  static bool is_known(Frame& frame, const PathTable& table) {
    if (frame.node == PathTable::unknown) [[unlikely]] {
      auto found = table.find(frame.hash);
      frame.node = found.node;
      frame.whole = found.whole;
    }
    return frame.node != PathTable::unknown;
  }

  bool is_call(u32 frame) const { return frame != bottom && frames_[frame].call != outside; }
  bool is_called_above(u32 frame) const;
  void add_node(u32 frame, PathTable& table);
  void add_shortened(u32 frame, PathTable& table);

  std::vector<Frame> frames_;
  u32 top_ = bottom;
  std::vector<u32> new_frames_;
  std::vector<Place> calls_;
  std::vector<u64> hashes_;
};

}  // namespace pgokit::unwind
