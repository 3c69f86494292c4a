#include "unwind/unwinder.h"

#include <gmock/gmock.h>

#include <random>

#include "test/support/shell.h"
#include "test/support/tiny_program.h"
#include "unwind/by_context.h"

namespace pgokit::unwind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Instructions of the tiny program, as places.
constexpr Place test_edi = 0, je = 2, add_edi = 4, call = 7, main_ret = 12, leaf = 16,
                leaf_ret = 17;

class UnwinderTest : public testing::Test {
 protected:
  using Branches = std::vector<Unwinder::Branch>;

  static program::Program open_tiny(const test::ScratchDir& dir) {
    dir.write("tiny", test::tiny_program().image());
    return *program::Program::open(fmt::format("{}/tiny", dir.path()), {});
  }

  void unwind(const std::vector<Place>& calls, const Branches& branches, u64 weight = 1) {
    stats_ = unwinder_.unwind(calls, branches, weight);
  }

  // Contexts as "call call: first-last*count ... from>to*count ...".
  std::vector<std::string> found() {
    std::vector<Unwinder> all;
    all.push_back(std::move(unwinder_));
    return found(std::move(all), 1);
  }
  static std::vector<std::string> found(std::vector<Unwinder> all, unsigned threads) {
    std::vector<std::vector<NotedSample>> samples(all.size());
    auto counts = counts_by_path(merge(std::move(all), samples, threads), threads);
    std::vector<std::string> lines;
    for (size_t i = 0; i < counts.size(); ++i) {
      std::string line;
      for (auto place : counts.paths.calls(counts.path(i)))
        line += fmt::format("{} ", number(place));
      line += ":";
      for (auto r : counts.ranges(i))
        line += fmt::format(" {}-{}*{}", number(r.first), number(r.last), r.count);
      for (auto b : counts.branches(i))
        line += fmt::format(" {}>{}*{}", number(b.from), number(b.to), b.count);
      lines.push_back(line);
    }
    return lines;
  }
  static i64 number(CodeIndex place) {
    return place == program::no_code ? -1 : static_cast<i64>(place);
  }

  test::ScratchDir dir_;
  program::Program program_ = open_tiny(dir_);
  Unwinder unwinder_{program_.code(), {}, false};
  UnwindStats stats_;
};

TEST_F(UnwinderTest, AReturnPutsTheCallerOnTheChainAndACallTakesItOff) {
  unwind({}, {{leaf_ret, main_ret}, {call, leaf}, {je, call}});
  EXPECT_THAT(found(), ElementsAre(": 7-7*1 2>7*1 7>16*1", "7 : 16-17*1 17>12*1"));
  EXPECT_EQ(stats_.branches, 3u);
  EXPECT_EQ(stats_.mismatched_frames, 0u);
}

TEST_F(UnwinderTest, TheChainOfTheSampleIsTheContext) {
  unwind({call}, {{call, leaf}, {je, call}}, 5);
  unwind({call, call}, {{call, leaf}}, 2);
  // the second: main called by itself; recursion is not removed where the caller is left
  EXPECT_THAT(found(), ElementsAre(": 7-7*5 2>7*5 7>16*5", "7 : 7>16*2"));
}

TEST_F(UnwinderTest, ACallThatIsNotOnTheChainIsCounted) {
  unwind({add_edi}, {{call, leaf}});
  EXPECT_EQ(stats_.mismatched_frames, 1u);
  EXPECT_THAT(found(), ElementsAre("4 : 7>16*1"));
}

TEST_F(UnwinderTest, ContextsBeginBehindCodeOutside) {
  unwind({call, outside, call}, {{je, call}, {main_ret, test_edi}});
  EXPECT_THAT(found(), ElementsAre("7 : 0-2*1 2>7*1", "7 -1 : 12>0*1"));
}

TEST_F(UnwinderTest, LeavingAndEnteringAgainKeepsTheContext) {
  unwind({call}, {{outside, leaf_ret}, {leaf, outside}, {outside, leaf}});
  EXPECT_EQ(stats_.paired_outside, 1u);
  EXPECT_EQ(stats_.unpaired_outside, 0u);
}

TEST_F(UnwinderTest, AfterAContradictionNothingHasContext) {
  // from 12 nothing runs on to 17
  unwind({call}, {{leaf_ret, main_ret}, {leaf_ret, main_ret}, {je, call}});
  auto lines = found();
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], testing::HasSubstr("17>12*1"));
}

TEST_F(UnwinderTest, ReturnsBehindNoCallAreKnown) {
  unwind({}, {{leaf_ret, add_edi}, {je, leaf}});
  EXPECT_THAT(found(), ElementsAre("-1 : 16-17*1 2>16*1 17>4*1"));
}

TEST(CallStack, AChainWithoutEndBeginsAnew) {
  PathTable table({.longest_recursion = 0});
  CallStack stack;
  for (u32 i = 0; i < CallStack::max_depth + 5; ++i) stack.push(i);
  EXPECT_EQ(stack.innermost(), CallStack::max_depth + 4);
  EXPECT_EQ(table.nodes().size(), 1u);
  u32 node = stack.node(stack.top(), table);
  EXPECT_EQ(table.nodes().size(), 6u);
  EXPECT_EQ(table.nodes()[node].call, CallStack::max_depth + 4);
}

TEST(CallStack, FramesThatWerePoppedHaveNodes) {
  PathTable table({.longest_recursion = 0});
  CallStack stack;
  stack.push(1);
  u32 one = stack.top();
  stack.push(2);
  u32 two = stack.top();
  stack.pop();
  stack.push(3);
  u32 node = stack.node(two, table);
  EXPECT_EQ(table.nodes()[node].call, 2u);
  EXPECT_EQ(table.nodes()[node].parent, stack.node(one, table));
  EXPECT_EQ(stack.node(CallStack::bottom, table), PathTable::root);
}

TEST(PathTable, CompressedChainsAreTheChainsTheyBecome) {
  PathTable table({.max_depth = 3});
  auto node = [&](const std::vector<Place>& calls) {
    CallStack stack;
    for (Place place : calls) stack.push(place);
    return stack.node(stack.top(), table);
  };
  EXPECT_EQ(node({1, 1, 2, 3, 2, 3}), node({1, 2, 3}));
  EXPECT_EQ(node({9, 1, 2, 3}), node({1, 2, 3}));
  EXPECT_EQ(node({outside, 1, outside, 1, 2}), node({1, 2}));
  EXPECT_EQ(node({1, outside}), PathTable::root);
  EXPECT_NE(node({1, 2}), node({2, 1}));
}

// Any addresses may be call sites here.
TEST_F(UnwinderTest, ChainsOfSeveralThreadsBecomeOneTrie) {
  std::mt19937 chance(1);
  std::vector<Unwinder> several(3, unwinder_);
  for (int sample = 0; sample < 500; ++sample) {
    std::vector<Place> calls(chance() % 6);
    for (Place& one : calls) one = chance() % 8 == 0 ? no_call : chance() % 4;
    for (auto* one : {&unwinder_, &several[chance() % 3]}) {
      one->enter(calls);
      one->add({test_edi, je, outside}, 1);
    }
  }
  auto by_one = found();
  EXPECT_GT(by_one.size(), 100u);
  EXPECT_EQ(found(several, 1), by_one);
  EXPECT_EQ(found(std::move(several), 4), by_one);
}

}  // namespace
}  // namespace pgokit::unwind
