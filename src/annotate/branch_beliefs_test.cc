#include "annotate/branch_beliefs.h"

#include <gtest/gtest.h>

#include "annotate/profile_counts.h"
#include "base/function_name.h"
#include "test/support/compiled_program.h"

namespace pgokit::annotate {
namespace {

using Frame = ProfileCounts::Frame;
using profile::Profile;

constexpr std::string_view source = R"(volatile int sink;
__attribute__((noinline)) void f(int x) {
  if (x > 3) {
    sink = 1;
  } else {
    sink = 2;
    sink = 3;
  }
}
int _start(int x) { f(x); return sink; }
)";
constexpr std::string_view with_lines = "-O2 -g -fdebug-info-for-profiling";
const std::string with_map =
    fmt::format("{} -fbasic-block-address-map -mllvm -pgo-analysis-map=all", with_lines);

// `f` of the source, which took the first way so many times of 1,000.
Profile profile_of(u64 first) {
  Profile profile;
  auto& f = profile.function(profile.names.intern("f"));
  f.add_total(3000);
  f.raise_body({1, 0}, 1000);
  f.raise_body({2, 0}, first);
  f.raise_body({4, 0}, 1000 - first);
  f.raise_body({5, 0}, 1000 - first);
  profile.sort();
  return profile;
}

TEST(BranchBeliefs, WhatTheProfileHasIsTheMeasure) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  auto program = test::compile(dir, source, with_map);
  ASSERT_TRUE(program);
  Profile profile = profile_of(980);
  auto told = branch_beliefs({.program = &*program, .profile = &profile});
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->judged, 1u);
  EXPECT_EQ(told->ran, 1000u);
  ASSERT_EQ(told->wrong.size(), 1u);
  const auto& belief = told->wrong[0];
  EXPECT_EQ(belief.source, "f");
  EXPECT_EQ(belief.line, 3u);
  EXPECT_EQ(belief.cause, BeliefCause::not_followed);
  EXPECT_TRUE(belief.measured == 0.98 || belief.measured == 0.02) << belief.measured;
  EXPECT_NEAR(static_cast<double>(belief.worth), 1000 * std::abs(belief.measured - belief.believed),
              1);
}

// As the compiler leaves branches that it has merged or moved.
TEST(BranchBeliefs, ABranchWithoutALineHasTheOneInFrontOfIt) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  constexpr std::string_view without_line = R"(volatile int sink;
__attribute__((noinline)) void f(int x) {
#line 3
  int y = sink;
#line 0
  if (x > 3) {
#line 4
    sink = y;
  } else {
#line 6
    sink = 2;
#line 7
    sink = 3;
  }
}
int _start(int x) { f(x); return sink; }
)";
  test::ScratchDir dir;
  auto program = test::compile(dir, without_line, with_map);
  ASSERT_TRUE(program);
  Profile profile = profile_of(980);
  auto told = branch_beliefs({.program = &*program, .profile = &profile});
  ASSERT_TRUE(told) << told.error().message;
  ASSERT_EQ(told->wrong.size(), 1u);
  EXPECT_EQ(told->wrong[0].line, 3u);
}

// What it must have been can be reckoned, but that is not what clang was told.
TEST(BranchBeliefs, AWayThatTheProfileLacksIsNotHeldAgainstClang) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  constexpr std::string_view calls =
      R"(__attribute__((noinline)) void g(int x) { asm volatile("" :: "r"(x)); }
__attribute__((noinline)) void h(int x) { asm volatile("nop" :: "r"(x)); }
__attribute__((noinline)) int f(int x) {
  if (x > 3)
    h(x);
  else
    g(x), g(7);
  return x + 1;
}
int _start(int x) { return f(x); }
)";
  test::ScratchDir dir;
  auto program = test::compile(dir, calls, with_map);
  ASSERT_TRUE(program);
  Profile profile;
  auto& f = profile.function(profile.names.intern("f"));
  f.raise_body({1, 0}, 1000);
  f.raise_body({4, 0}, 1000);
  profile.sort();
  auto told = branch_beliefs({.program = &*program, .profile = &profile});
  ASSERT_TRUE(told);
  ASSERT_EQ(told->wrong.size(), 1u);
  EXPECT_EQ(told->wrong[0].believed, 0.5);
  EXPECT_EQ(told->wrong[0].cause, BeliefCause::even);
}

TEST(BranchBeliefs, FewSamplesAreThin) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  auto program = test::compile(dir, source, with_map);
  ASSERT_TRUE(program);
  Profile profile;
  auto& f = profile.function(profile.names.intern("f"));
  f.raise_body({1, 0}, 20);
  f.raise_body({4, 0}, 0);
  profile.sort();
  auto told = branch_beliefs({.program = &*program, .profile = &profile});
  ASSERT_TRUE(told);
  ASSERT_EQ(told->wrong.size(), 1u);
  EXPECT_EQ(told->wrong[0].cause, BeliefCause::thin);
}

TEST(BranchBeliefs, NothingIsJudgedWithoutABlockMapOrSamples) {
  if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
  test::ScratchDir dir;
  Profile profile = profile_of(980), empty;
  auto program = test::compile(dir, source, with_map);
  ASSERT_TRUE(program);
  auto told = branch_beliefs({.program = &*program, .profile = &empty});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->judged, 0u);
  auto plain = test::compile(dir, source, with_lines);
  ASSERT_TRUE(plain);
  told = branch_beliefs({.program = &*plain, .profile = &profile});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->judged, 0u);
}

TEST(ProfileCounts, SamplesAreThoseOfTheCopy) {
  Profile profile;
  auto& caller = profile.function(profile.names.intern("caller"));
  NameId callee = profile.names.intern("callee");
  caller.raise_body({1, 0}, 10);
  caller.inlinee({2, 0}, callee).raise_body({1, 0}, 7);
  profile.function(callee).raise_body({1, 0}, 3);
  profile.sort();
  ProfileCounts counts(profile);
  u64 outer = function_guid("caller"), inner = function_guid("callee");
  auto samples = [&](std::vector<Frame> frames) { return counts.at(frames).samples; };
  EXPECT_EQ(samples({{outer, {1, 0}}}), 10u);
  EXPECT_EQ(samples({{outer, {2, 0}}, {inner, {1, 0}}}), 7u);
  EXPECT_EQ(samples({{inner, {1, 0}}}), 3u);
  EXPECT_EQ(samples({{outer, {3, 0}}, {inner, {1, 0}}}), std::nullopt);
  EXPECT_EQ(samples({{inner, {9, 0}}}), std::nullopt);
  EXPECT_EQ(samples({{function_guid("nobody"), {1, 0}}}), std::nullopt);
  EXPECT_TRUE(counts.has(inner));
}

}  // namespace
}  // namespace pgokit::annotate
