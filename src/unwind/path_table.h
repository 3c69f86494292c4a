#pragma once

// The calling contexts of one thread's samples: which chain of call sites is which node, after
// compression of recursion and the limit of depth.
//
//   PathTable table({.compress = true});
//   CallStack stack;
//   stack.push(call_in_main);
//   stack.push(call_in_foo);
//   u32 node = stack.node(table);
//
// A chain is known by a hash of 64 bits, kept for every depth of the stack: pushing and popping
// cost nothing but that, and the table is asked once per place that counts are attached to. Of n
// chains two fall together by mistake with a probability of about n²/2^65.

#include <tsl/robin_map.h>

#include <span>
#include <vector>

#include "unwind/places.h"
#include "unwind/recursion.h"

namespace pgokit::unwind {

struct PathRules {
  bool compress = false;
  i64 longest_recursion = -1;  // blocks of more call sites are not looked for
  u32 max_depth = ~u32{0};     // only the innermost call sites are kept
};

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

  explicit PathTable(PathRules rules) : rules_(rules), nodes_(1) {}

  // `hashes[i]` is that of the first i calls.
  u32 node(std::span<const Place> calls, std::span<const u64> hashes);
  // The node of exactly these calls below `parent`, by the hash of the whole chain.
  u32 child(u32 parent, Place call, u64 hash);

  const std::vector<Node>& nodes() const { return nodes_; }
  static constexpr u64 empty_hash = 0x8bb84b93962eacc9u;

 private:
  static constexpr u32 unknown = ~u32{0};
  struct Known {
    u32 literal = unknown;  // the node of the chain itself
    u32 key = unknown;      // the node that its counts belong to
  };
  // Hashes are spread already.
  struct Same {
    size_t operator()(u64 hash) const { return hash; }
  };

  u32 find_key(std::span<const Place> calls, std::span<const u64> hashes);
  u32 chain(std::span<const Place> calls, std::span<const u64> hashes);

  PathRules rules_;
  std::vector<Node> nodes_;  // [0] is the empty chain
  tsl::robin_map<u64, Known, Same> known_;
  std::vector<Place> compressed_;
  std::vector<u64> compressed_hashes_;
};

// The calls that lead to the place a sample is at. Calls outside of a frame that is not of the
// program are no context of those inside.
class CallStack {
 public:
  // Deeper ones are taken for a new beginning: what a damaged file says must not cost without end.
  static constexpr u32 max_depth = 2048;

  CallStack()
      : calls_(1, outside),
        hashes_(1, PathTable::empty_hash),
        nodes_(1, PathTable::root),
        starts_(1, 0) {}

  bool empty() const { return depth_ == 0; }
  Place innermost() const { return calls_[depth_]; }

  void clear() { depth_ = 0; }
  void push(Place call) {
    if (depth_ == max_depth) [[unlikely]]
      clear();
    bool restart = call == outside;
    u64 hash = restart ? PathTable::empty_hash : extend_hash(hashes_[depth_], call);
    u32 start = restart ? depth_ + 1 : starts_[depth_];
    if (++depth_ == calls_.size()) [[unlikely]]
      grow();
    calls_[depth_] = call;
    hashes_[depth_] = hash;
    starts_[depth_] = start;
    nodes_[depth_] = restart ? PathTable::root : unknown;
  }
  void pop() { --depth_; }

  u32 node(PathTable& table) {
    u32& node = nodes_[depth_];
    if (node == unknown) [[unlikely]] {
      u32 start = starts_[depth_];
      node = table.node(std::span(calls_).subspan(start + 1, depth_ - start),
                        std::span(hashes_).subspan(start, depth_ - start + 1));
    }
    return node;
  }

 private:
  static constexpr u32 unknown = ~u32{0};

  void grow() {
    calls_.emplace_back();
    hashes_.emplace_back();
    nodes_.emplace_back();
    starts_.emplace_back();
  }

  // By depth; [0] is the empty stack.
  std::vector<Place> calls_;
  std::vector<u64> hashes_;
  std::vector<u32> nodes_;
  std::vector<u32> starts_;  // the depth at which the context begins
  u32 depth_ = 0;
};

}  // namespace pgokit::unwind
