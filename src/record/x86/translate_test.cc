// Runs copies beside their originals.
#include "record/x86/translate.h"

#include <gmock/gmock.h>

#include <array>
#include <random>
#include <stop_token>
#include <thread>

#include "record/x86/instruction.h"
#include "test/support/possible_branches.h"
#include "test/support/stepping.h"

namespace pgokit::record {
namespace {

class Translated : public CodePage {};
class EachKindOfCopy : public CodePage, public ::testing::WithParamInterface<CopyFor> {};

INSTANTIATE_TEST_SUITE_P(Translated, EachKindOfCopy,
                         ::testing::Values(CopyFor::windows, CopyFor::memory),
                         [](const auto& copy) {
                           return copy.param == CopyFor::memory ? "memory" : "windows";
                         });

TEST_P(EachKindOfCopy, CodeDoesWhatTheOriginalDoes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    LocalTarget target({page_}, GetParam());
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    for (u32 branches : {1U, 3U, 17U, 400U}) {
      auto expected = random_state(seed + branches), got = expected;
      function(&expected);
      std::ranges::copy(code, page_);  // it changes data among itself
      // until nothing is missing any more
      for (int turn = 0; turn < 60; ++turn) {
        got = random_state(seed + branches);
        u32 passes = 1 + static_cast<u32>(turn) % 4;
        target.window(function, branches, passes, branches)(&got);
        std::ranges::copy(code, page_);
        target.cache.enter(target.header().target);
      }
      expected.flags &= arithmetic_flags, got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", " << branches << " branches";
    }
  }
}

TEST_P(EachKindOfCopy, CopiesCanBeLeftBeforeAnyInstruction) {
  SteppingHandler handler;
  u64 left = 0, completed = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    LocalTarget target({page_}, GetParam());
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    auto expected = random_state(seed), got = expected;
    function(&expected);
    expected.flags &= arithmetic_flags;
    std::mt19937 random(seed);
    u64 steps = 0;
    for (int turn = 0; turn < 80; ++turn) {
      std::ranges::copy(code, page_);
      got = random_state(seed);
      // at first until nothing is missing, then once to see how far it goes
      bool leaves = turn > 40;
      target.patience = leaves && turn % 2 == 0 ? 5 : 0;
      Stepping::answers = turn % 4 == 0;
      u64 leave_before = leaves ? 1 + random() % steps : 0;
      bool counts = turn % 5 < 2;
      auto* copy = target.window(function, leaves && turn % 3 == 0 ? 5 : 400, counts ? 4 : 1, 5);
      if (turn < 40)
        copy(&got);
      else if (u64 made = Stepping::call(target, copy, got, leave_before); !leaves)
        steps = made;
      else
        left += made >= leave_before, completed += Stepping::completed;
      got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", left before step " << leave_before;
      if (leaves) expect_possible(Stepping::edges, Stepping::left_for);
      u64 missing = target.header().target;
      if (!leaves && target.cache.enter(missing)) target.cache.publish(missing);
    }
  }
  Stepping::answers = false;
  EXPECT_GT(left, 250U);
  EXPECT_GT(completed, 20U);
}

// By another thread, while a copy waits: all of the program is one window then, with no stop.
TEST_P(EachKindOfCopy, WhatIsMissingCanBeAnswered) {
  u64 answers = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    LocalTarget target({page_}, GetParam());
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    auto expected = random_state(seed), got = random_state(seed);
    function(&expected);
    std::ranges::copy(code, page_);
    target.patience = u64{1} << 31;
    auto* copy = target.window(function, 400, 3, 1 + seed % 50);
    std::jthread tracer([&](const std::stop_token& over) {
      while (!over.stop_requested()) answers += target.answer();
    });
    copy(&got);
    tracer.request_stop(), tracer.join();
    expected.flags &= arithmetic_flags, got.flags &= arithmetic_flags;
    ASSERT_EQ(got, expected) << "seed " << seed;
    expect_possible(target.recorded(), target.header().target);
  }
  EXPECT_GT(answers, 2 * 60U);
}

// By another thread, which needs no stop for that either.
TEST_P(EachKindOfCopy, WindowsCanEndWithoutAStop) {
  u64 used_again = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    LocalTarget target({page_}, GetParam());
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    for (u32 branches : {1U, 3U, 17U}) {
      auto expected = random_state(seed + branches), got = expected;
      function(&expected);
      std::ranges::copy(code, page_);
      target.patience = u64{1} << 31;
      auto* copy = target.window(function, branches, branches, branches);
      std::jthread tracer([&](const std::stop_token& over) {
        while (!over.stop_requested())
          if (!target.answer() && target.use_again()) return void(++used_again);
      });
      copy(&got);
      tracer.request_stop(), tracer.join();
      std::ranges::copy(code, page_);
      expected.flags &= arithmetic_flags, got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", " << branches << " branches";
    }
  }
  EXPECT_GT(used_again, 60U);
}

// Of all branches up to where it is left: the last ones are in the ring, as far as that has begun.
TEST_F(Translated, EveryBranchIsCountedOnce) {
  SteppingHandler handler;
  using Sums = std::map<std::pair<u64, u64>, u64>;
  u64 left = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    LocalTarget target({page_});
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    std::mt19937 random(seed);
    std::vector<Edge> all;
    u64 steps = 0;
    for (int turn = 0; turn < 120; ++turn) {
      std::ranges::copy(code, page_);
      auto state = random_state(seed);
      constexpr int until_known = 40;
      bool known = turn > until_known;
      u64 leave_before = known ? 1 + random() % steps : 0;
      constexpr u32 turns[] = {1, 7, 400};
      auto* copy = target.window(function, known ? 9 : 400, known ? 20 : 1,
                                 turns[static_cast<u32>(turn) % 3]);
      u64 made = Stepping::call(target, copy, state, leave_before);
      if (!known) {
        all = target.recorded(), steps = made;
        target.counted();
        u64 missing = target.header().target;
        if (target.cache.enter(missing)) target.cache.publish(missing);
        continue;
      }
      if (made < leave_before) {
        target.counted();
        continue;
      }
      ++left;
      Sums counted = target.counted(), expected;
      for (const auto& edge : Stepping::edges) ++counted[{edge.from, edge.to}];
      u64 passed = 0;
      for (const auto& [ends, count] : counted) passed += count;
      ASSERT_LE(passed, all.size());
      for (const auto& edge : std::span(all).first(passed)) ++expected[{edge.from, edge.to}];
      ASSERT_EQ(counted, expected) << "seed " << seed << ", left before step " << leave_before;
    }
  }
  EXPECT_GT(left, 500U);
}

TEST_F(Translated, WhatEntersTheKernelEndsABlock) {
  const std::vector<std::vector<u8>> never = {
      {0xcc},                          // int3
      {0xcd, 0x80},                    // int 0x80
      {0xf4},                          // hlt
      {0x0f, 0x0b},                    // ud2
      {0xcb},                          // far ret
      {0x9d},                          // popf
      {0x65, 0x48, 0x8b, 0x00},        // mov rax, gs:[rax]
      {0x8e, 0xe8},                    // mov gs, eax
      {0xc7, 0xf8, 0, 0, 0, 0},        // xbegin
      {0xf3, 0x48, 0x0f, 0xae, 0xd8},  // wrgsbase rax
      {0xff, 0x28},                    // far jmp
      {0x06},                          // no instruction
  };
  for (const auto& bytes : never) {
    EXPECT_EQ(decode_for_copy(bytes, 0x1000).kind, CopyKind::never);
    EXPECT_FALSE(translate(0x1000, bytes, {.code = 0x2000, .slots = 0x9000}).ok());
  }
  EXPECT_FALSE(translate(0x1000, {}, {.code = 0x2000, .slots = 0x9000}).ok());
}

// Elsewhere the thread leaves before it, and the program's own instruction makes it.
TEST_F(Translated, ACopyMakesTheSystemCallsThatItMay) {
  // mov rdx, rdi; mov eax, getppid; syscall; mov [rdx], rax; ret
  constexpr u8 code[] = {0x48, 0x89, 0xfa, 0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0x48, 0x89, 0x02, 0xc3};
  for (auto purpose : {CopyFor::windows, CopyFor::whole_run})
    for (bool permitted : {false, true}) {
      LocalTarget target({page_}, purpose);
      std::ranges::copy(code, page_);
      reinterpret_cast<u8*>(target.cache.scratch(0))[scratch::calls + 110] = permitted;
      State state{};
      target.window(reinterpret_cast<Function*>(page_), 400)(&state);
      EXPECT_EQ(reinterpret_cast<u64&>(state), static_cast<u64>(getppid()));
      bool left = target.header().target == reinterpret_cast<u64>(page_) + 8;
      EXPECT_EQ(left, !permitted);
      bool timed = target.header().begun != 0;
      EXPECT_EQ(timed, permitted && purpose == CopyFor::windows);
    }
}

TEST_F(Translated, ABlockTellsItsBranches) {
  // jne +2; call +0; both recorded with their targets
  constexpr u8 code[] = {0x75, 0x02, 0x90, 0x90, 0xe8, 0, 0, 0, 0};
  auto copy = translate(0x1000, code, {.code = 0x2000, .slots = 0x9000});
  ASSERT_TRUE(copy.ok());
  ASSERT_EQ(copy.edges.size(), 2U);
  EXPECT_EQ(copy.edges[0].from, 0x1004U);
  EXPECT_EQ(copy.edges[0].to, 0x1009U);
  EXPECT_EQ(copy.edges[0].kind, EdgeKind::call);
  EXPECT_EQ(copy.edges[1].from, 0x1000U);
  EXPECT_EQ(copy.edges[1].to, 0x1004U);
  EXPECT_THAT(copy.return_sites, ::testing::ElementsAre(0x1009));
  EXPECT_EQ(copy.block.end, 0x1009U);
  EXPECT_EQ(copy.block.recoveries.front().original, 0x1000U);
}

// A displacement that does not reach from the copy's place ends the block before its instruction.
TEST_F(Translated, StaysWithinReach) {
  constexpr u8 code[] = {0x90, 0x48, 0x8b, 0x05, 0, 0, 0, 0};  // nop; mov rax, [rip]
  auto near = translate(0x1000, code, {.code = 0x2000, .slots = 0x9000});
  auto far = translate(0x1000, code, {.code = u64{1} << 40, .slots = (u64{1} << 40) + 0x9000});
  ASSERT_TRUE(near.ok());
  ASSERT_TRUE(far.ok());
  EXPECT_EQ(near.block.end, 0x1008U);
  EXPECT_EQ(far.block.end, 0x1001U);
  auto logging = translate(0x1000, code, {.code = u64{1} << 40, .slots = (u64{1} << 40) + 0x9000},
                           CopyFor::memory);
  EXPECT_EQ(logging.code, far.code);
  EXPECT_TRUE(logging.accesses.empty());
}

// Any bytes give a block or none, and never more code than there is room for.
TEST_F(Translated, TakesAnyBytes) {
  std::mt19937 random(1);
  std::array<u8, 512> bytes;
  for (int i = 0; i < 20'000; ++i) {
    for (auto& one : bytes) one = static_cast<u8>(random());
    size_t size = random() % bytes.size();
    auto copy =
        translate(0x100000, Bytes(bytes).first(size), {.code = 0x200000, .slots = 0x900000});
    ASSERT_LT(copy.code.size(), 4096U);
    ASSERT_LE(copy.exits.size(), 16U);
    ASSERT_TRUE(copy.accesses.empty());
    auto logging = translate(0x100000, Bytes(bytes).first(size),
                             {.code = 0x200000, .slots = 0x900000}, CopyFor::memory);
    ASSERT_LT(logging.code.size(), 12288U);
    ASSERT_EQ(logging.block.end, copy.block.end);
  }
}

}  // namespace
}  // namespace pgokit::record
