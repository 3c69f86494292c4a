// Copies that log their branches, beside their originals and beside what windows record.
#include <gmock/gmock.h>

#include "test/support/possible_branches.h"
#include "test/support/stepping.h"

namespace pgokit::record {
namespace {

class BranchLogged : public CodePage {
 protected:
  // Once with each copy missing, until all are there.
  template <class Each>
  void in_turns(unsigned seed, CopyFor purpose, int turns, const Each& each) {
    LocalTarget target({page_}, purpose);
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    auto expected = random_state(seed);
    function(&expected);
    expected.flags &= arithmetic_flags;
    for (int turn = 0; turn < turns; ++turn) {
      std::ranges::copy(code, page_);
      auto got = random_state(seed);
      each(target, function, got, turn);
      got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", turn " << turn;
      u64 missing = target.header().target;
      if (target.cache.enter(missing)) target.cache.publish(missing);
    }
  }
  // Up to the return to whoever has called.
  std::vector<std::pair<u64, u64>> ends_of(std::span<const Edge> edges) const {
    std::vector<std::pair<u64, u64>> ends;
    for (const auto& edge : edges) {
      bool inside = edge.to - reinterpret_cast<u64>(page_) < size;
      ends.emplace_back(edge.from, inside ? edge.to : 0);
      if (!inside) break;
    }
    return ends;
  }
  std::vector<Edge> branches_of(unsigned seed) {
    std::vector<Edge> branches;
    in_turns(seed, CopyFor::windows, 60, [&](auto& target, auto* function, State& state, int) {
      target.window(function, 400)(&state);
      branches = target.recorded();
    });
    return branches;
  }
};

TEST_F(BranchLogged, InTheirOrder) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    auto all = branches_of(seed);
    std::vector<Edge> logged;
    in_turns(seed, CopyFor::contexts, 60, [&](auto& target, auto* function, State& state, int) {
      target.window(function, 1)(&state);
      logged = target.logged();
    });
    ASSERT_EQ(ends_of(logged), ends_of(all)) << "seed " << seed;
  }
}

// At whatever instruction it is left: the state is the program's, and each branch up to there is in
// the log or is told.
TEST_F(BranchLogged, OnceWhereverTheCodeIsLeft) {
  SteppingHandler handler;
  u64 left = 0, completed = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    auto all = branches_of(seed);
    std::mt19937 random(seed);
    u64 steps = 0;
    in_turns(seed, CopyFor::contexts, 120,
             [&](auto& target, auto* function, State& state, int turn) {
               constexpr int until_known = 40;
               u64 leave_before = turn > until_known ? 1 + random() % steps : 0;
               u64 made = Stepping::call(target, target.window(function, 1), state, leave_before);
               if (!leave_before) steps = made;
               if (!leave_before || made < leave_before) return;
               auto logged = target.logged();
               if (Stepping::completed) logged.push_back(Stepping::edges.back());
               ++left, completed += Stepping::completed;
               ASSERT_LE(logged.size(), all.size());
               ASSERT_EQ(ends_of(logged), ends_of(std::span(all).first(logged.size())))
                   << "seed " << seed << ", left before step " << leave_before;
             });
  }
  EXPECT_GT(left, 500U);
  EXPECT_GT(completed, 20U);
}

// What the log says of the stack: a return is where its call was, plus the return address.
TEST_F(BranchLogged, WithTheStackPointer) {
  u64 calls = 0;
  for (unsigned seed = 1; seed <= 60; ++seed)
    in_turns(
        seed, CopyFor::contexts, 60, [&](auto& target, auto* function, State& state, int turn) {
          target.window(function, 1)(&state);
          if (turn < 59) return;
          std::vector<u64> stack;
          u64 used = target.header().left + 4;
          BranchLog log(
              {reinterpret_cast<const u8*>(target.cache.scratch(0)) + scratch::contexts::log + used,
               scratch::contexts::log_size - used});
          for (LoggedBranch one; log.next(one);) {
            auto kind = target.cache.edge(one.edge).kind;
            ASSERT_EQ(one.call, kind == EdgeKind::call);
            if (one.call) stack.push_back(one.stack), ++calls;
            if (kind != EdgeKind::ret || stack.empty()) continue;
            ASSERT_GE(one.stack, stack.back() + 8) << "seed " << seed;  // ret may release more
            ASSERT_LE(one.stack, stack.back() + 8 + 64) << "seed " << seed;
            stack.pop_back();
          }
        });
  EXPECT_GT(calls, 50U);
}

TEST(BranchLog, AnyBytesAreRead) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::vector<u8> bytes(random() % 100);
    for (auto& byte : bytes) byte = static_cast<u8>(random());
    BranchLog log(bytes);
    size_t n = 0;
    for (LoggedBranch one; log.next(one);) ++n;
    EXPECT_LE(n, bytes.size() / BranchLog::direct_size);
  }
}

}  // namespace
}  // namespace pgokit::record
