#pragma once

// Call stacks as memory profiles from version 3 on have them: an array of numbers, in which stacks
// share their outer frames.
//
//   RadixArray array(profile.stacks, profile.used_stacks, frame_ids);
//   for (u32 frame : array.frame_order()) write(frame);     // elements are places in this list
//   for (u32 element : array.elements()) write(element);
//   u32 start = array.starts()[stack];                      // where the stack is
//
// At its start a stack has the number of its frames, then these, from the innermost outwards. In
// place of frames that another stack has too, the distance to them stands, negated.

#include <span>
#include <vector>

#include "instr_profile/memory/memory_profile.h"

namespace pgokit::instr_profile {

class RadixArray {
 public:
  RadixArray(const StackTree& stacks, std::span<const u32> used, std::span<const u64> frame_ids);

  // By how often they are in stacks, those that many have first.
  const std::vector<u32>& frame_order() const { return frame_order_; }
  const std::vector<u32>& elements() const { return elements_; }
  const std::vector<u32>& starts() const { return starts_; }  // by node of the tree

 private:
  struct Uses {
    u64 count = 0, positions = 0;  // of positions from the innermost frame on the sum
  };
  void count(std::span<const u32> used, size_t frames);
  void order_frames(std::span<const u64> frame_ids);
  std::vector<u32> order_stacks(std::span<const u32> used, std::span<const u64> frame_ids) const;
  void encode(u32 stack);

  const StackTree& stacks_;
  std::vector<Uses> uses_;  // by frame
  std::vector<u32> frame_order_, number_of_frame_, elements_, starts_;
  std::vector<u32> path_, places_;  // of the last stack, from its root: nodes, and where they are
};

}  // namespace pgokit::instr_profile
