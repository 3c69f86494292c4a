#include "analysis/overlap.h"

#include <gmock/gmock.h>

#include "analysis/llvm_order.h"
#include "base/cursor.h"

namespace pgokit::analysis {
namespace {

using profile::Columns;

Columns columns(std::string_view text) {
  auto read = profile::read_profile(as_bytes(text));
  EXPECT_TRUE(read) << read.error().message;
  return profile::columns_of(*read);
}

constexpr std::string_view two_functions =
    "main:40:1\n 1: 10\n 2: 20 f:5\n 3: f:10\n  1: 10\n"
    "f:60:6\n 1: 60\n";

TEST(Overlap, OfAProfileWithItselfIsWhole) {
  auto profile = columns(two_functions);
  auto overlap = compute_overlap(profile, profile);
  EXPECT_EQ(overlap.similarity, 1);
  EXPECT_EQ(overlap.sample_share(), 1);
  EXPECT_DOUBLE_EQ(overlap.common, 1);
  EXPECT_EQ(overlap.matched_functions, 2);
  EXPECT_EQ(overlap.base_samples, 100);
  EXPECT_EQ(overlap.hot_functions.both, overlap.hot_functions.either);
}

// 10, 20, 10 and 60 of 100, and 100, 200, 500 and 200 of 1,000; in an inlinee, too.
TEST(Overlap, SharesInCommonDoNotDependOnTotals) {
  auto more = columns(
      "main:800:1\n 1: 100\n 2: 200\n 3: f:500\n  1: 500\n"
      "f:200:6\n 1: 200\n");
  auto overlap = compute_overlap(columns(two_functions), more);
  EXPECT_DOUBLE_EQ(overlap.common, 0.1 + 0.2 + 0.1 + 0.2);
  EXPECT_DOUBLE_EQ(overlap.sample_share(), 0.1);
}

TEST(Overlap, OfNothingInCommonIsNothing) {
  auto base = columns("a:10:1\n 1: 10\n"), test = columns("b:10:1\n 1: 10\n");
  auto overlap = compute_overlap(base, test);
  EXPECT_EQ(overlap.similarity, 0);
  EXPECT_EQ(overlap.sample_share(), 0);
  EXPECT_EQ(overlap.common, 0);
  EXPECT_EQ(overlap.base_unique, 10);
  EXPECT_EQ(overlap.test_unique, 10);
  EXPECT_EQ(overlap.functions.size(), 2);
}

TEST(Overlap, CountsWhatMovedInsideAFunction) {
  auto base = columns("f:100:1\n 1: 50\n 2: 50\n"), test = columns("f:100:1\n 1: 100\n");
  auto overlap = compute_overlap(base, test);
  EXPECT_DOUBLE_EQ(overlap.similarity, 0.5);
  EXPECT_EQ(overlap.overlap, 50);
  EXPECT_EQ(overlap.united, 150);
  EXPECT_EQ(overlap.base_unique, 50);
}

TEST(Overlap, AnInlineeThatIsMissingCountsWhole) {
  auto test = columns("main:30:1\n 1: 10\n 2: 20 f:5\nf:60:6\n 1: 60\n");
  auto overlap = compute_overlap(columns(two_functions), test);
  EXPECT_EQ(overlap.base_unique, 10);
  EXPECT_LT(overlap.similarity, 1);
}

TEST(Overlap, NoSamplesAtAllDoNotDivide) {
  auto nothing = columns("f:0:0\n 1: 0\n");
  EXPECT_EQ(compute_overlap(nothing, nothing).sample_share(), 0);
}

TEST(Overlap, OnlyLikeIsComparedWithLike) {
  auto flat = columns("f:1:1\n 1: 1\n"), probes = columns("f:1:1\n 1: 1\n !CFGChecksum: 7\n");
  EXPECT_TRUE(comparable(flat, flat));
  EXPECT_FALSE(comparable(flat, probes));
  EXPECT_FALSE(comparable(columns("[f]:1:1\n 1: 1\n"), flat));
}

TEST(PeerOrder, HasEachFunctionOnce) {
  std::string text;
  std::string chain;
  for (int i = 0; i < 20; ++i) {
    text += fmt::format("[{}f{}]:{}:1\n 1: 1\n", chain, i, i);
    chain += fmt::format("f{}:{}.{} @ ", i, i, i % 3);
  }
  auto profile = columns(text);
  auto order = llvm_order(profile);
  std::ranges::sort(order);
  ASSERT_EQ(order.size(), 20);
  for (u32 i = 0; i < 20; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace pgokit::analysis
