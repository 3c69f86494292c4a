// Copies that count whole runs, beside their originals and beside what windows record.
#include <gmock/gmock.h>
#include <sys/syscall.h>

#include <map>

#include "test/support/possible_branches.h"
#include "test/support/stepping.h"

namespace pgokit::record {
namespace {

using Sums = std::map<std::pair<u64, u64>, u64>;

class WholeRun : public CodePage {
 protected:
  // All branches of one call, in their order, by windows.
  std::vector<Edge> branches_of(Function* function, unsigned seed, Bytes code) {
    LocalTarget target({page_});
    for (int turn = 0; turn < 60; ++turn) {
      std::ranges::copy(code, page_);
      auto state = random_state(seed);
      target.window(function, 400)(&state);
      u64 missing = target.header().target;
      if (target.cache.enter(missing)) target.cache.publish(missing);
    }
    return target.recorded();
  }
  // Without the last return, which goes to the caller.
  Sums inside(Sums sums, Bytes code) const {
    std::erase_if(sums, [&](const auto& one) { return is_outside(one.first.second, code); });
    return sums;
  }
  bool is_outside(u64 address, Bytes code) const {
    return address - reinterpret_cast<u64>(page_) >= code.size();
  }
};

TEST_F(WholeRun, CodeDoesWhatTheOriginalDoes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    LocalTarget target({page_}, CopyFor::whole_run);
    CodeMaker maker(page_, seed, seed % 2 == 0);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    auto expected = random_state(seed), got = expected;
    function(&expected);
    expected.flags &= arithmetic_flags;
    for (int turn = 0; turn < 60; ++turn) {
      std::ranges::copy(code, page_);
      got = random_state(seed);
      target.window(function, 1)(&got);
      got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", turn " << turn;
      u64 missing = target.header().target;
      if (target.cache.enter(missing)) target.cache.publish(missing);
    }
  }
}

// At whatever instruction it is left: the state is the program's, and each branch up to there is in
// the counters or is told.
TEST_F(WholeRun, EveryBranchIsCountedOnceWhereverItIsLeft) {
  SteppingHandler handler;
  u64 left = 0, completed = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    auto all = branches_of(function, seed, code);
    std::ranges::copy(code, page_);
    LocalTarget target({page_}, CopyFor::whole_run);
    std::mt19937 random(seed);
    auto expected = random_state(seed), got = expected;
    function(&expected);
    expected.flags &= arithmetic_flags;
    u64 steps = 0;
    for (int turn = 0; turn < 120; ++turn) {
      std::ranges::copy(code, page_);
      constexpr int until_known = 40;
      bool known = turn > until_known;
      u64 leave_before = known ? 1 + random() % steps : 0;
      got = random_state(seed);
      u64 made = Stepping::call(target, target.window(function, 1), got, leave_before);
      got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", left before step " << leave_before;
      Sums counted = target.counted(), told;
      if (!known) {
        steps = made;
        u64 missing = target.header().target;
        if (target.cache.enter(missing)) target.cache.publish(missing);
        continue;
      }
      if (made < leave_before) continue;
      ++left, completed += Stepping::completed;
      if (Stepping::completed) {
        const auto& edge = Stepping::edges.back();
        ++counted[{edge.from, edge.to}];
      }
      u64 passed = 0;
      for (const auto& [ends, count] : counted) passed += count;
      ASSERT_LE(passed, all.size());
      for (const auto& edge : std::span(all).first(passed)) ++told[{edge.from, edge.to}];
      ASSERT_EQ(inside(counted, code), inside(told, code))
          << "seed " << seed << ", left before step " << leave_before;
    }
  }
  EXPECT_GT(left, 500U);
  EXPECT_GT(completed, 20U);
}

[[gnu::noinline]] void call_in_turn(void (**functions)(), size_t n, int times) {
  for (; times > 0; --times)
    for (size_t i = 0; i < n; ++i) functions[i]();
}

class Pairs : public ::testing::TestWithParam<CopyFor> {};

INSTANTIATE_TEST_SUITE_P(WholeRun, Pairs, ::testing::Values(CopyFor::whole_run, CopyFor::windows),
                         [](const auto& copy) {
                           return copy.param == CopyFor::windows ? "windows" : "whole_run";
                         });

// They share a place in the index, and so do the returns from them.
TEST_P(Pairs, TargetsOfOnePlaceAreCountedApart) {
  constexpr size_t functions = 5;
  constexpr u64 size = functions << 16;
  // A build that checks the types of functions reads in front of each that it calls.
  constexpr u64 first = 64;
  constexpr u8 ret = 0xc3;
  constexpr int times = 20;
  auto* code = static_cast<u8*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  using Callee = void();
  std::vector<Callee*> list;
  for (size_t n = 0; n < functions; ++n) {
    u8* callee = code + first + (n << 16);
    *callee = ret;
    list.push_back(reinterpret_cast<Callee*>(callee));
  }
  LocalTarget target({code, reinterpret_cast<void*>(&call_in_turn)}, GetParam());
  Sums sums;
  for (int round = 0; round < 20; ++round) {
    target.window(&call_in_turn, 1, 2, 1 << 20)(list.data(), list.size(), times);
    sums = target.counted();
    u64 missed = target.header().target;
    if (target.cache.enter(missed)) target.cache.publish(missed);
  }
  for (auto* callee : list) {
    auto address = reinterpret_cast<u64>(callee);
    u64 calls = 0, returns = 0;
    for (const auto& [ends, count] : sums) {
      calls += ends.second == address ? count : 0;
      returns += ends.first == address ? count : 0;
    }
    EXPECT_EQ(calls, times);
    EXPECT_EQ(returns, times);
  }
  munmap(code, size);
}

}  // namespace
}  // namespace pgokit::record
