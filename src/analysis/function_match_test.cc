#include "analysis/function_match.h"

#include <gtest/gtest.h>

#include "test/support/compiled_program.h"

namespace pgokit::analysis {
namespace {

using profile::LineLocation;

Anchor call(u32 line, u32 callee) { return {{line, 0}, {NameId{callee}}}; }
Anchor indirect_call(u32 line) { return {{line, 0}, {}, true}; }
Anchor indirect_jump(u32 line) { return {{line, 0}, {}, false, true}; }

// The function of the program; call sites are places, too.
FunctionShape function(std::initializer_list<u32> lines, std::vector<Anchor> anchors) {
  FunctionShape shape;
  for (u32 line : lines) shape.places.push_back({line, 0});
  for (const auto& anchor : anchors) shape.places.push_back(anchor.at);
  std::ranges::sort(shape.places);
  shape.anchors = std::move(anchors);
  return shape;
}

FunctionMatch match(const FunctionShape& old, const FunctionShape& now,
                    bool discriminators = true) {
  OldFunction function;
  function.places = old.places;
  ProgramShape program;
  for (auto name : {"", "a", "b", "c", "d", "e", "f"}) program.names.intern(name);
  program.functions.resize(program.names.size());
  program.functions[3].tail_callees = {NameId{4}};  // c jumps to d
  return match_function(function, old.anchors, now, program, discriminators);
}

TEST(MatchFunction, OnlyTheSecondOfTwoCallsRan) {
  auto now = function({1, 9}, {call(3, 5), call(7, 5)});
  auto same = match(function({1, 9}, {call(7, 5)}), now);
  EXPECT_FALSE(same.changed);
  EXPECT_EQ(same.map.at({7, 0}).line_offset, 7);
  EXPECT_EQ(same.call_sites_there, 1);
}

TEST(MatchFunction, AnIndirectCallMayGoToOneFunctionOnly) {
  auto now = function({1}, {indirect_call(3)});
  EXPECT_FALSE(match(function({1}, {call(3, 5)}), now).changed);
  EXPECT_TRUE(match(function({1}, {call(2, 5)}), now).changed);  // it is a line down
}

TEST(MatchFunction, AnIndirectJumpMayBeATailCall) {
  auto now = function({1}, {indirect_jump(3)});
  EXPECT_FALSE(match(function({1}, {call(3, 5)}), now).changed);
}

TEST(MatchFunction, AnotherCalleeIsAChange) {
  auto changed = match(function({1}, {call(3, 5)}), function({1}, {call(3, 6)}));
  EXPECT_TRUE(changed.changed);
  EXPECT_EQ(changed.call_sites_there, 0);
}

TEST(MatchFunction, AProfileWithoutDiscriminatorsHasOnePlaceForALine) {
  // Of two calls on a line one has got a discriminator, and so has what is around them.
  auto old = function({1, 9}, {call(3, 5)});
  old.anchors[0].callees.push_back(NameId{6});
  auto now = function({1}, {call(3, 6), {{3, 2}, {NameId{5}}}, {{12, 4}, {NameId{2}}}});
  now.places.push_back({9, 6});
  std::ranges::sort(now.places);
  auto other = old;
  other.anchors[0].callees = {NameId{5}};
  EXPECT_TRUE(match(other, now).changed);
  EXPECT_FALSE(match(other, now, false).changed);
  EXPECT_FALSE(match(old, now, false).changed);
  EXPECT_EQ(match(old, now, false).call_sites_there, 1);
  EXPECT_TRUE(match(function({1}, {call(3, 4)}), now, false).changed);  // it calls neither
}

TEST(MatchFunction, ChainsOfCallsLackTailCalls) {
  auto now = function({1}, {call(3, 3)});
  auto chain = call(3, 4);
  EXPECT_TRUE(match(function({1}, {chain}), now).changed);
  chain.chain = true;
  EXPECT_FALSE(match(function({1}, {chain}), now).changed);
  chain.callees = {NameId{5}};
  EXPECT_TRUE(match(function({1}, {chain}), now).changed);
}

TEST(MatchFunction, ARenamedCalleeIsNoChangeOfTheCaller) {
  auto renamed = match(function({1}, {call(3, 99)}), function({1}, {call(3, 6)}));
  EXPECT_FALSE(renamed.changed);
  EXPECT_EQ(renamed.call_sites_there, 0);
}

TEST(MatchFunction, WhatTheCompilerDroppedIsNoChange) {
  auto now = function({1, 2, 9}, {call(12, 6)});
  auto same = match(function({1, 2, 4, 9}, {call(3, 5), call(12, 6)}), now);
  EXPECT_FALSE(same.changed);
  EXPECT_EQ(same.call_sites, 2);
  EXPECT_EQ(same.call_sites_there, 1);
  EXPECT_TRUE(same.map.is_identity());
}

TEST(MatchFunction, CallsThatMovedTogetherStayTogether) {
  auto now = function({}, {call(2, 5), call(5, 5), call(8, 5), call(14, 5), call(20, 6)});
  auto moved = match(function({}, {call(4, 5), call(10, 5), call(16, 6)}), now);
  EXPECT_TRUE(moved.changed);
  EXPECT_EQ(moved.map.at({4, 0}).line_offset, 8);
  EXPECT_EQ(moved.map.at({10, 0}).line_offset, 14);
}

TEST(MatchFunction, CodeOfNoLineIsNoEvidence) {
  auto old = function({1, 2, 0xfe00}, {call(0xfe00, 5)});
  auto now = function({1, 2, 0xfdf0}, {call(0xfdf0, 5)});
  now.line_zero = 0xfdf0;  // 16 lines were written above the function
  auto same = match(old, now);
  EXPECT_FALSE(same.changed);
  EXPECT_EQ(same.map.at({0xfe00, 0}).line_offset, 0xfdf0);
  EXPECT_EQ(same.map.at({2, 0}).line_offset, 2);
}

// In files of more than 32,768 lines that place can be any, also in front of those of lines.
TEST(MatchFunction, CodeOfNoLineFarDownAFile) {
  auto old = function({301, 302, 310}, {});
  auto now = function({281, 301, 302, 310}, {});
  now.line_zero = 281;
  old.places.insert(old.places.begin(), {285, 0});
  auto same = match(old, now);
  EXPECT_FALSE(same.changed);
  EXPECT_EQ(same.map.at({285, 0}).line_offset, 281);
}

TEST(MatchFunction, LinesBeforeTheFunctionsFirstOne) {
  auto now = function({1, 2, 0xff00, 0xff01}, {call(0xff05, 5)});
  auto old = function({1, 2, 0xff01, 0xff02}, {call(0xff06, 5)});
  auto moved = match(old, now);
  EXPECT_TRUE(moved.changed);
  EXPECT_EQ(moved.map.at({0xff06, 0}).line_offset, 0xff05);
  EXPECT_EQ(moved.map.at({0xff02, 0}).line_offset, 0xff01);
}

TEST(ReadShape, HasWhatAnyBranchMayEnter) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  auto program = test::compile(dir, R"(
#line 70000
int (*volatile pointer)(int);
__attribute__((noinline)) int indirect(int x) {
  int (*to)(int) = pointer;
  x = x * 3;
  return to(x);
}
__attribute__((noinline)) int direct(int x) {
  if (x > 5)
    return indirect(x + 1);
  return pointer(x) + 1;
}
int _start(int x) { return direct(x); }
)",
                               "-O2 -g -fdebug-info-for-profiling");
  ASSERT_TRUE(program);
  auto shape = read_shape(*program, false, 1);
  ASSERT_TRUE(shape);
  const auto* indirect = shape->find("indirect");
  ASSERT_TRUE(indirect);
  EXPECT_EQ(indirect->line_zero, (0x10000 * 2 - 70001) & 0xffff);
  auto tail_call = std::ranges::find_if(indirect->anchors, &Anchor::jump);
  ASSERT_NE(tail_call, indirect->anchors.end());
  EXPECT_EQ(tail_call->at.line_offset, 3);
  const auto* direct = shape->find("direct");
  ASSERT_TRUE(direct);
  EXPECT_TRUE(std::ranges::any_of(direct->anchors, &Anchor::indirect));
  EXPECT_TRUE(is_there({{2, 0}, {*shape->names.find("indirect")}}, direct->anchors));
}

}  // namespace
}  // namespace pgokit::analysis
