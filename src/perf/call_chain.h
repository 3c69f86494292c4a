#pragma once

// The addresses of a sample's call chain, and whose code each is in.
//
//   for_each_frame(sample.callchain, [&](u64 address, FrameMode mode) {      // leaf first
//     if (mode == FrameMode::user) use(address);
//   });
//   size_t callers = count_frames(sample.callchain, FrameMode::user) - 1;
//
// A function that returns bool goes on while that is true. Addresses behind the leaf's are those
// that calls return to. What stands before the first context marker counts as user code.

#include <type_traits>

#include "perf/format.h"

namespace pgokit::perf {

enum class FrameMode : u8 { user, kernel, other };  // other: hypervisor and guests

constexpr FrameMode mode_of_marker(u64 marker) {
  if (is_user_context_marker(marker)) return FrameMode::user;
  return marker == kernel_context_marker ? FrameMode::kernel : FrameMode::other;
}

template <class Each>
void for_each_frame(std::span<const Le<u64>> chain, Each each) {
  auto mode = FrameMode::user;
  for (u64 address : chain)
    if (address >= first_context_marker)
      mode = mode_of_marker(address);
    else if constexpr (std::is_same_v<decltype(each(address, mode)), bool>) {
      if (!each(address, mode)) return;
    } else {
      each(address, mode);
    }
}

inline size_t count_frames(std::span<const Le<u64>> chain, FrameMode mode) {
  size_t count = 0;
  bool counts = mode == FrameMode::user;
  for (u64 address : chain)
    if (address >= first_context_marker) [[unlikely]]
      counts = mode_of_marker(address) == mode;
    else
      count += counts;
  return count;
}

}  // namespace pgokit::perf
