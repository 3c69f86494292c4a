#include "record/software/stacks.h"

#include <gmock/gmock.h>

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

// `cycles_of_branch` by itself, for which its copy takes 1.6 times as long; 0: it is not known.
Window window_of(size_t branches, double cycles_of_branch) {
  Window window;
  for (size_t i = 0; i < branches; ++i) window.taken.push_back(jump(100 + i, 200 + i));
  window.passed = 10'000;
  window.cycles = static_cast<u64>(cycles_of_branch * 16'000);
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
  window.passed = 1000, window.cycles = 7000;
  for (u64 caller : {25, 26}) {
    std::vector<u64> chain = {300, caller, 7};
    cutter.cut(window, chain, [&](auto, std::span<const u64> own) {
      EXPECT_EQ(own.size(), caller == 25 ? 3U : 1U);
    });
  }
}

TEST(StackCutter, KeepsWhatATimeHolds) {
  // Branches of 3 cycles: a time of 192 holds 64 of them.
  StackCutter cutter(32, 192);
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

TEST(StackCutter, AWindowCountsForTheTimeThatItStandsFor) {
  StackCutter cutter(32, 1);
  Window window;
  window.wanted = 1000, window.cycles = 1600;
  EXPECT_DOUBLE_EQ(cutter.weight(window, 5000), 5)
      << "1,600 cycles of a copy are 1,000 of its program";
  window.cycles = 100, window.cut_short = true;
  EXPECT_DOUBLE_EQ(cutter.weight(window, 5000), 8) << "what cuts it would be seen too often";
}

TEST(StackCutter, TellsWhatTheProgramTakesByItself) {
  StackCutter cutter(32, 1);
  Window unknown, window;
  unknown.passed = 10;
  EXPECT_DOUBLE_EQ(cutter.own_cycles(unknown), 35);
  window.passed = 1000, window.cycles = 8000;
  EXPECT_DOUBLE_EQ(cutter.own_cycles(window), 5000);
  EXPECT_DOUBLE_EQ(cutter.own_cycles(unknown), 50) << "as the one before";
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
