// The contexts of branches that a thread of the test's own process might have made.
#include "record/software/context_counter.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <map>

namespace pgokit::record {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

u64 code() { return reinterpret_cast<u64>(&is_return_address) & ~u64{0xfff}; }

class ContextCounterTest : public testing::Test {
 protected:
  static constexpr u64 top = 0x7fff00001000;

  void SetUp() override {
    auto space = AddressSpace::open(getpid());
    ASSERT_TRUE(space) << space.error().message;
    space_ = std::move(*space);
    space_->refresh();
    begins(0, top);
  }

  // Places are named by their distance from code().
  void begins(u64 at, u64 stack, u64 interrupted = 0) {
    Registers regs{};
    regs.rip = code() + at, regs.rsp = stack;
    contexts_.begins(thread_, *space_, regs, interrupted);
  }
  void make(EdgeKind kind, u64 from, u64 to, u64 stack, bool indirect) {
    contexts_.add(
        thread_, *space_,
        {.from = code() + from, .to = code() + to, .kind = kind, .length = 5, .indirect = indirect},
        stack);
  }
  void call(u64 from, u64 to, u64 stack) { make(EdgeKind::call, from, to, stack, false); }
  void ret(u64 from, u64 to, u64 stack) { make(EdgeKind::ret, from, to, stack, true); }
  void jump(u64 from, u64 to) { make(EdgeKind::jump, from, to, 0, false); }
  void far_jump(u64 from, u64 to, u64 stack) { make(EdgeKind::jump, from, to, stack, true); }

  // By context, as the calls outermost first, the places of the branches.
  std::map<std::string, std::map<u64, u64>> counts() {
    contexts_.hand_over();
    auto flat = counter_.counts(1);
    auto all = contexts_.contexts(flat);
    std::vector<std::string> names{""};
    u64 base = counter_.place_of(*space_, code()).offset;
    for (u32 i = 1; i < all.nodes.size(); ++i)
      names.push_back(names[all.nodes[i].parent] +
                      fmt::format("{:x} ", all.nodes[i].returns_to.offset - 5 - base));
    std::map<std::string, std::map<u64, u64>> counts;
    u64 sum = 0, sum_of_flat = 0;
    for (const auto& step : all.steps) {
      counts[names[step.node]][flat.branches[step.branch].from.offset - base] += step.count;
      sum += step.count;
    }
    for (const auto& branch : flat.branches) sum_of_flat += branch.count;
    EXPECT_EQ(sum, sum_of_flat);
    return counts;
  }
  static auto in(const char* context, std::map<u64, u64> counts) {
    return Pair(context, std::move(counts));
  }

  std::unique_ptr<AddressSpace> space_;
  BranchCounter counter_;
  ContextCounter contexts_{counter_};
  ThreadContext thread_;
};

TEST_F(ContextCounterTest, CallsAndReturns) {
  for (int i = 0; i < 3; ++i) {
    call(0x10, 0x100, top - 8);
    jump(0x104, 0x102);
    call(0x110, 0x200, top - 32);
    ret(0x208, 0x115, top - 24);
    ret(0x120, 0x15, top);
    jump(0x18, 0x8);
  }
  EXPECT_THAT(counts(), UnorderedElementsAre(in("", {{0x10, 3}, {0x18, 3}}),
                                             in("10 ", {{0x104, 3}, {0x110, 3}, {0x120, 3}}),
                                             in("10 110 ", {{0x208, 3}})));
}

TEST_F(ContextCounterTest, ATailCallHasTheContextOfWhoJumps) {
  call(0x10, 0x100, top - 8);
  jump(0x104, 0x200);
  far_jump(0x204, 0x300, top - 8);
  ret(0x304, 0x15, top);
  jump(0x18, 0x8);
  EXPECT_THAT(counts(), UnorderedElementsAre(in("", {{0x10, 1}, {0x18, 1}}),
                                             in("10 ", {{0x104, 1}, {0x204, 1}, {0x304, 1}})));
}

TEST_F(ContextCounterTest, JumpsOutOfSeveralCalls) {
  call(0x10, 0x100, top - 8);
  call(0x110, 0x200, top - 32);
  call(0x210, 0x300, top - 64);
  far_jump(0x308, 0x118, top - 24);  // longjmp()
  jump(0x120, 0x100);
  EXPECT_THAT(counts(),
              UnorderedElementsAre(in("", {{0x10, 1}}), in("10 ", {{0x110, 1}, {0x120, 1}}),
                                   in("10 110 ", {{0x210, 1}}), in("10 110 210 ", {{0x308, 1}})));
}

// As code that only wants to know where it is does: call the next instruction, and pop.
TEST_F(ContextCounterTest, ACallThatNothingReturnsFromEndsWithTheNext) {
  for (int i = 0; i < 1000; ++i) call(0x10, 0x15, top - 8);
  EXPECT_EQ(thread_.calls.size(), 1U);
  EXPECT_THAT(counts(), UnorderedElementsAre(in("", {{0x10, 1000}})));
}

TEST_F(ContextCounterTest, HandlersAreBesideWhatTheyInterrupt) {
  constexpr u64 stacks[] = {top - 0x1000, top - 0x10'0000'0000, top + 0x10'0000};
  for (u64 handlers_stack : stacks) {
    call(0x10, 0x100, top - 8);
    begins(0x400, handlers_stack, top - 24);
    call(0x410, 0x500, handlers_stack - 16);
    ret(0x508, 0x415, handlers_stack - 8);
    ret(0x420, 0x600, handlers_stack + 8);
    begins(0x108, top - 24);  // the kernel has been asked to go back
    ret(0x110, 0x15, top);
  }
  EXPECT_THAT(counts(), UnorderedElementsAre(in("", {{0x10, 3}, {0x410, 3}, {0x420, 3}}),
                                             in("410 ", {{0x508, 3}}), in("10 ", {{0x110, 3}})));
}

TEST_F(ContextCounterTest, AHandlerMayJumpOut) {
  for (u64 handlers_stack : {top - 0x1000, top + 0x10'0000}) {
    call(0x10, 0x100, top - 8);
    call(0x110, 0x200, top - 32);
    begins(0x400, handlers_stack, top - 64);
    call(0x410, 0x500, handlers_stack - 16);
    far_jump(0x508, 0x118, top - 24);
    ret(0x120, 0x15, top);
  }
  EXPECT_THAT(counts(),
              UnorderedElementsAre(in("", {{0x10, 2}, {0x410, 2}}), in("410 ", {{0x508, 2}}),
                                   in("10 ", {{0x110, 2}, {0x120, 2}})));
}

TEST_F(ContextCounterTest, DeepRecursionIsOneContext) {
  u64 stack = top - 8;
  call(0x10, 0x100, stack);
  for (int i = 0; i < 10'000; ++i) call(0x110, 0x100, stack -= 32);
  for (int i = 0; i < 10'000; ++i) ret(0x120, 0x115, (stack += 32) - 24);
  ret(0x120, 0x15, top);
  EXPECT_THAT(counts(),
              UnorderedElementsAre(in("", {{0x10, 1}}), in("10 ", {{0x110, 1}, {0x120, 1}}),
                                   in("10 110 ", {{0x110, 9'999}, {0x120, 10'000}})));
}

TEST_F(ContextCounterTest, ALogOfAnyBytesIsRead) {
  std::vector<u8> bytes(1000, 0xff);
  EXPECT_EQ(contexts_.add(thread_, *space_, BranchLog(bytes)), 0U);  // there are no such edges
}

}  // namespace
}  // namespace pgokit::record
