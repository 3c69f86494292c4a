#include <gtest/gtest.h>

#include "base/function_name.h"
#include "test/support/context_profiles.h"
#include "transform/preinline/preinliner.h"

namespace pgokit::transform {
namespace {

// By the number of places, unless `sizes` are given.
std::string preinlined(std::string_view text, const PreinlineOptions& options,
                       const InlineSizes* sizes = nullptr) {
  auto profile = test::profile_of(text);
  preinline(profile, sizes, options);
  EXPECT_TRUE(profile.flags.pre_inlined);
  return test::text_of(profile);
}

constexpr auto example =
    "[main]:40:1\n 1: 10\n 2: 30 foo:30\n"
    "[main:2 @ foo]:30:30\n 1: 30\n"
    "[other:4 @ foo]:2:2\n 1: 2\n"
    "[other]:2:2\n 4: 2 foo:2\n";

TEST(TreePreinliner, InlinesHotCallsAndAddsUpTheOthers) {
  EXPECT_EQ(preinlined(example, {.cold_count = 5, .upper_count = 30}),
            "[main]:40:1\n 1: 10\n 2: 30 foo:30\n"
            "[main:2 @ foo]:30:30\n 1: 30\n !Attributes: 2\n"
            "[foo]:2:2\n 1: 2\n"
            "[other]:2:2\n 4: 2 foo:2\n");
}

TEST(TreePreinliner, InlinesColdCallsThatCostLessThanTheirThreshold) {
  auto all = preinlined(example, {.cold_threshold = 2, .cold_count = 100, .upper_count = 200});
  EXPECT_NE(all.find("[other:4 @ foo]"), all.npos);
  auto none = preinlined(example, {.cold_threshold = 1, .cold_count = 100, .upper_count = 200});
  EXPECT_EQ(none.find('@'), none.npos);
}

TEST(TreePreinliner, WhatCostsNothingIsStillNotInlinedWhereColdCallsNeverAre) {
  InlineSizes sizes;
  EXPECT_EQ(preinlined(example, {.cold_count = 100, .upper_count = 200}, &sizes).find('@'),
            std::string::npos);
}

TEST(TreePreinliner, FunctionsGrowToTheirLimitOnly) {
  constexpr auto wide =
      "[main]:40:1\n 1: 10\n 2: 30 foo:30\n 3: 20 bar:20\n"
      "[main:2 @ foo]:30:30\n 1: 30\n"
      "[main:3 @ bar]:20:20\n 1: 20\n";
  PreinlineOptions options{.growth_limit = 1, .limit_min = 4, .cold_count = 1, .upper_count = 30};
  auto result = preinlined(wide, options);
  EXPECT_NE(result.find("[main:2 @ foo]"), result.npos);  // the hottest first
  EXPECT_EQ(result.find("[main:3 @ bar]"), result.npos);
}

TEST(TreePreinliner, RepeatsWhatTheProgramHasInlined) {
  EXPECT_EQ(preinlined("[main]:1:1\n 2: 1\n"
                       "[main:2 @ a]:1:1\n 1: 1\n !Attributes: 1\n"
                       "[main:2 @ b]:90:90\n 1: 90\n",
                       {.replay = true}),
            "[b]:90:90\n 1: 90\n[main]:1:1\n 2: 1\n[main:2 @ a]:1:1\n 1: 1\n !Attributes: 3\n");
}

TEST(TreePreinliner, TakesInlineesAlongWithTheirFunction) {
  EXPECT_EQ(preinlined("[a:1 @ b]:1:1\n 1: 1\n[a:1 @ b:2 @ c]:80:80\n 1: 80\n",
                       {.cold_count = 5, .upper_count = 50}),
            "[b:2 @ c]:80:80\n 1: 80\n !Attributes: 2\n[b]:1:1\n 1: 1\n");
}

// As in LLVM: while [f:2 @ f] moves into [f], what is below it finds it there still, and goes with
// it.
TEST(TreePreinliner, LosesTheThirdLevelOfRecursionLikeThePeer) {
  EXPECT_EQ(preinlined("[f]:8:1\n 2: 8\n[f:2 @ f]:4:1\n 2: 4\n[f:2 @ f:2 @ f]:2:1\n 2: 2\n",
                       {.cold_count = 100, .upper_count = 200}),
            "[f]:12:2\n 2: 12\n");
}

TEST(TreePreinliner, NothingInNothingOut) { EXPECT_EQ(preinlined("", {}), ""); }

TEST(InlineSizes, AreThoseOfTheLongestKnownEndOfAContext) {
  u64 a = function_guid("a"), b = function_guid("b"), c = function_guid("c"),
      d = function_guid("d"), x = function_guid("x");
  using Frames = std::vector<InlineSizes::Frame>;
  Frames c_in_b_in_a{{c, {}}, {b, {2, 0}}, {a, {1, 0}}}, d_in_x{{d, {}}, {x, {7, 0}}};
  InlineSizes sizes;
  EXPECT_EQ(sizes.of(c_in_b_in_a), 0);
  auto add = [&](const Frames& frames, u64 bytes) { sizes.add(sizes.place(frames), bytes); };
  add({{c, {}}}, 10);
  EXPECT_EQ(sizes.of(c_in_b_in_a), 10);
  add({{c, {}}, {b, {2, 0}}}, 3);
  add({{c, {}}, {b, {2, 0}}}, 4);
  add({{c, {}}, {b, {2, 0}}, {a, {9, 0}}}, 100);  // called from elsewhere in a
  EXPECT_EQ(sizes.of(c_in_b_in_a), 7);
  add({{d, {}}, {a, {1, 0}}}, 5);  // the size of another copy is better than none
  EXPECT_EQ(sizes.of(d_in_x), 5);
  add(d_in_x, 0);
  EXPECT_EQ(sizes.of(d_in_x), 0);
}

}  // namespace
}  // namespace pgokit::transform
