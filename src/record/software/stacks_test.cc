#include "record/software/stacks.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

namespace pgokit::record {
namespace {

using ::testing::ElementsAre;

Edge call(u64 from, u64 to) {
  return {.from = from, .to = to, .kind = EdgeKind::call, .length = 5};
}
Edge ret(u64 from, u64 to) { return {.from = from, .to = to, .kind = EdgeKind::ret, .length = 1}; }
Edge jump(u64 from, u64 to) {
  return {.from = from, .to = to, .kind = EdgeKind::jump, .length = 2};
}

// `cycles_of_branch` by itself, which copies add 7 to.
Window window_of(size_t branches, double cycles_of_branch) {
  Window window;
  for (size_t i = 0; i < branches; ++i) window.taken.push_back(jump(100 + i, 200 + i));
  if (cycles_of_branch > 0) window.cycles_of_branch = 7 + cycles_of_branch;
  return window;
}

TEST(StackCutter, UndoesCallsAndReturns) {
  std::vector<u64> chain = {500, 15, 7};
  StackCutter::undo(chain, std::vector{call(10, 300), jump(310, 500)});
  EXPECT_THAT(chain, ElementsAre(500, 7));
  StackCutter::undo(chain, std::vector{ret(90, 40)});
  EXPECT_THAT(chain, ElementsAre(500, 40, 7));
}

TEST(StackCutter, EndsAChainThatDoesNotFit) {
  std::vector<u64> chain = {500, 99, 7};
  StackCutter::undo(chain, std::vector{call(10, 300)});
  EXPECT_THAT(chain, ElementsAre(500));
}

TEST(StackCutter, DoesNotTrustAChainWithAnotherCallerThanTheCall) {
  StackCutter cutter(2, 1'000'000);
  Window window;
  window.taken = {jump(10, 20), call(20, 300)};
  window.cycles_of_branch = 7;
  for (u64 caller : {25, 26}) {
    std::vector<u64> chain = {300, caller, 7};
    cutter.cut(window, chain, [&](auto, std::span<const u64> own) {
      EXPECT_EQ(own.size(), caller == 25 ? 3U : 1U);
    });
  }
}

TEST(StackCutter, KeepsWhatATimeHolds) {
  // Branches of 3.5 cycles: a time of 224 holds 64 of them.
  StackCutter cutter(32, 224);
  size_t stacks = 0;
  for (int i = 0; i < 1000; ++i) cutter.cut(window_of(320, 3), {}, [&](auto, auto) { ++stacks; });
  EXPECT_NEAR(static_cast<double>(stacks), 2000, 100);
}

TEST(StackCutter, StacksFollowEachOther) {
  StackCutter cutter(32, 1'000'000);
  std::vector<u64> firsts;
  auto window = window_of(100, 2);
  std::vector<u64> chain = {window.taken.back().to, 55};
  cutter.cut(window, chain, [&](std::span<const Edge> taken, std::span<const u64> own) {
    ASSERT_EQ(taken.size(), 32U);
    firsts.push_back(taken[0].from);
    EXPECT_THAT(own, ElementsAre(taken.back().to, 55));
  });
  EXPECT_THAT(firsts, ElementsAre(104, 136, 168));
}

TEST(StackCutter, AWindowCutShortIsKeptAtAnyPlace) {
  StackCutter cutter(32, 1);
  auto window = window_of(100, 0);
  window.cut_short = true;
  std::vector<u64> chain = {window.taken.back().to, 55};
  std::map<u64, int> lasts;
  for (int i = 0; i < 1000; ++i)
    cutter.cut(window, chain, [&](std::span<const Edge> taken, std::span<const u64> own) {
      ASSERT_EQ(taken.size(), 32U);
      EXPECT_THAT(own, ElementsAre(taken.back().to, 55));
      ++lasts[taken.back().from];
    });
  EXPECT_EQ(lasts.size(), 100U - 32 + 1);
}

TEST(StackCutter, SlowWindowsHaveLessWeight) {
  StackCutter cutter(32, 1);
  auto fast = window_of(500, 3), slow = window_of(500, 27), short_one = window_of(500, 0);
  EXPECT_DOUBLE_EQ(cutter.weight(short_one), 1) << "too short to tell";
  EXPECT_NEAR(cutter.weight(fast) / cutter.weight(slow), 3 * std::pow(10.0 / 6, 0.65), 1e-9);
  short_one.reach = 0.5;
  EXPECT_NEAR(cutter.weight(short_one), 2 * std::pow(6.0 / 10, 0.65) / 3, 1e-9)
      << "the speed of the one before, twice";
}

TEST(StackCutter, WindowsOfMuchCodeForABranchHaveLessWeight) {
  StackCutter cutter(32, 1);
  auto little = window_of(500, 3), much = window_of(500, 3), vector_code = window_of(500, 3);
  little.bytes_of_branch = 20, much.bytes_of_branch = 40, vector_code.bytes_of_branch = 160;
  EXPECT_NEAR(cutter.weight(little) / cutter.weight(much), std::pow(2, 0.35), 1e-9);
  EXPECT_NEAR(cutter.weight(little) / cutter.weight(vector_code), std::pow(4, 0.35), 1e-9);
}

TEST(StackCutter, WindowsThatWaitForMemoryHaveStillLess) {
  StackCutter cutter(32, 1);
  auto busy = window_of(500, 27), waits = busy, waits_long = window_of(500, 87);
  busy.bytes_of_branch = 50, waits.bytes_of_branch = waits_long.bytes_of_branch = 25;
  double by_bytes = std::pow(2, 0.35);
  EXPECT_NEAR(cutter.weight(waits) / cutter.weight(busy), by_bytes * std::pow(0.5, 1.5), 1e-9);
  EXPECT_NEAR(cutter.weight(waits) / cutter.weight(waits_long), 3, 1e-9);
}

TEST(StackCutter, TellsWhatTheProgramTakesByItself) {
  StackCutter cutter(32, 1);
  auto usual = window_of(500, 3), slow = window_of(500, 27), short_one = window_of(500, 0);
  usual.passed = slow.passed = 1000, short_one.passed = 10;
  EXPECT_NEAR(cutter.own_cycles(usual), 3500, 1e-9);
  double of_slow = 3500 * 3 * std::pow(10.0 / 6, 0.65);
  EXPECT_NEAR(cutter.own_cycles(slow), of_slow, 1e-9);
  EXPECT_NEAR(cutter.own_cycles(short_one), of_slow / 100, 1e-9) << "as the one before";
  usual.cycles = 110'000;
  EXPECT_NEAR(cutter.own_cycles(usual), 10'000, 1e-9) << "a copy does not add all of that";
}

TEST(StackCutter, AShortWindowIsOneShortStack) {
  StackCutter cutter(32, 1'000'000);
  size_t length = 0;
  cutter.cut(window_of(5, 100), {}, [&](auto taken, auto) { length = taken.size(); });
  EXPECT_EQ(length, 5U);
  cutter.cut(window_of(0, 100), {}, [&](auto, auto) { FAIL(); });
}

}  // namespace
}  // namespace pgokit::record
