#pragma once

// A memory profile (-fmemory-profile): by function, what its allocations were like, each with the
// call stack that led to it, and the calls on these stacks.
//
//   MemoryProfile profile;
//   u32 frame = profile.add_frame({hash_of_main, 3, 19, false});
//   u32 stack = profile.add_stack(profile.stacks.add(StackTree::root, frame));
//   profile.allocs.push_back({profile.record(hash_of_main), stack,
//                             profile.add_block(hot_cold_memory_fields, numbers)});
//   sum.add(profile);
//
// Everything is in the order in which it came, because the order of what is written depends on it.

#include <tsl/robin_map.h>

#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/types.h"
#include "instr_profile/memory/memory_fields.h"

namespace pgokit::instr_profile {

struct MemoryFrame {
  u64 function = 0;  // hash of its name
  u32 line = 0;      // from the function's first one
  u32 column = 0;
  bool inlined = false;

  bool operator==(const MemoryFrame&) const = default;
  u64 id() const;  // LLVM's hash of it
};

// Call stacks as paths from the root, the outermost frame first: what they have in common is there
// once.
class StackTree {
 public:
  static constexpr u32 root = 0;

  u32 add(u32 parent, u32 frame);
  // For those who know that it is new, or can do with the same path twice. Not after add().
  u32 append(u32 parent, u32 frame);
  u32 parent(u32 node) const { return nodes_[node].parent; }
  u32 frame(u32 node) const { return nodes_[node].frame; }
  u32 depth(u32 node) const { return nodes_[node].depth; }
  size_t size() const { return nodes_.size(); }
  // From the innermost frame outwards.
  template <class Visit>
  void each_frame(u32 node, Visit visit) const {
    for (; node != root; node = nodes_[node].parent) visit(nodes_[node].frame);
  }

 private:
  struct Node {
    u32 parent, frame, depth;
  };
  std::vector<Node> nodes_ = {{root, 0, 0}};
  tsl::robin_map<u64, u32, IntHash> children_;
};

class MemoryProfile {
 public:
  struct Block {
    u32 fields = 0;  // which there are
    u64 first = 0;   // in `values`
  };
  struct Alloc {
    u32 record, stack, block;
  };
  struct CallSite {
    u32 record, stack;
    u32 first_callee = 0, callees = 0;  // in `callees`
  };

  std::vector<MemoryFrame> frames;
  StackTree stacks;
  std::vector<u32> used_stacks;  // nodes of the tree, each once
  std::vector<u64> functions;    // of records
  std::vector<Alloc> allocs;
  std::vector<CallSite> call_sites;
  std::vector<u64> callees;
  std::vector<Block> blocks;
  std::vector<u64> values;
  // As the file has them: which data was accessed how often; it is kept as it is.
  std::string accessed_data;
  // If they were asked for: names by hash, and how often the words of allocations were accessed, by
  // block.
  tsl::robin_map<u64, std::string> names;
  std::vector<std::vector<u64>> histograms;
  u64 raw_stacks = 0;  // of a raw one: of which a frame is known

  u32 add_frame(const MemoryFrame& frame);
  u32 add_stack(u32 node);
  u32 record(u64 function);  // a new one if there is none
  u32 add_block(u32 fields, std::span<const u64> values);
  bool empty() const { return functions.empty() && accessed_data.empty(); }

  // 0 if the block has no such field.
  u64 value(u32 block, u32 field) const;

  // As llvm-profdata: of functions that both have, only allocations are added, and call sites stay
  // those of the first.
  void add(const MemoryProfile& other);

 private:
  struct FrameHash {
    size_t operator()(const MemoryFrame& frame) const;
  };
  tsl::robin_map<MemoryFrame, u32, FrameHash> by_frame_;
  tsl::robin_map<u64, u32, IntHash> by_function_;
  std::vector<bool> is_used_;  // by node
};

// How many call stacks there are whose allocations are cold, hot or neither, and the largest size of
// each kind: what stands before a memory profile.
struct MemorySummary {
  u64 contexts = 0, cold = 0, hot = 0, largest_cold = 0, largest_warm = 0, largest_hot = 0;
};
MemorySummary summary_of(const MemoryProfile& profile);

}  // namespace pgokit::instr_profile
