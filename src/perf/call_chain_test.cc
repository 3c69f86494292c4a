#include "perf/call_chain.h"

#include <gtest/gtest.h>

#include <vector>

namespace pgokit::perf {
namespace {

std::vector<Le<u64>> chain_of(std::initializer_list<u64> addresses) {
  return {addresses.begin(), addresses.end()};
}

constexpr u64 user_marker = user_context_marker, guest_marker = u64(-2048);

// Both ways to walk a chain tell the same.
TEST(CallChain, CountsFramesOfEachMode) {
  for (const auto& chain :
       {chain_of({}), chain_of({1}), chain_of({1, 2, 3}), chain_of({user_marker, 1, 2}),
        chain_of({kernel_context_marker, 9, 8, user_marker, 1, 2, 3}),
        chain_of({1, kernel_context_marker, 9, guest_marker, 5, 6, user_marker, 2}),
        chain_of({user_marker, kernel_context_marker}), chain_of({u64(-1), 4})})
    for (auto mode : {FrameMode::user, FrameMode::kernel, FrameMode::other}) {
      size_t count = 0;
      for_each_frame(chain, [&](u64, FrameMode of) { count += of == mode; });
      EXPECT_EQ(count_frames(chain, mode), count);
    }
}

TEST(CallChain, StopsWhereItIsTold) {
  std::vector<u64> seen;
  for_each_frame(chain_of({1, 2, 3}), [&](u64 address, FrameMode) {
    seen.push_back(address);
    return address < 2;
  });
  EXPECT_EQ(seen, (std::vector<u64>{1, 2}));
}

}  // namespace
}  // namespace pgokit::perf
