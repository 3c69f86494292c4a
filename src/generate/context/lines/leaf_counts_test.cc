// Of a program that clang compiles for the occasion.
#include "generate/context/lines/leaf_counts.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "test/support/compiled_program.h"

namespace pgokit::generate {
namespace {

using program::CodeIndex;
using unwind::Branch;
using unwind::Range;

constexpr u64 most = std::numeric_limits<u64>::max();
constexpr const char* source = R"(
__attribute__((noinline)) int leaf(int x) {
  return x * 3;
}
__attribute__((noinline)) int again(int x) {
  return x ? again(x - 1) + 1 : 0;
}
int _start(int x) {
  x += leaf(x);
  return leaf(x) + again(x);
}
)";

class LeafCountsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
    program_ = test::compile(dir_, source, "-O0 -g");
    ASSERT_TRUE(program_);
    start_ = test::code_of(*program_, "_start");
    leaf_ = test::code_of(*program_, "leaf");
    again_ = test::code_of(*program_, "again");
    for (auto at : start_)
      if (program_->code().is_call(at)) calls_.push_back(at);
    for (auto at : again_)
      if (program_->code().is_call(at)) recursive_ = at;
    ASSERT_EQ(calls_.size(), 3u);
    touch();
  }

  // Everything that the tests ask for.
  void touch() {
    std::vector<Range> ranges;
    for (const auto* code : {&start_, &leaf_, &again_})
      ranges.push_back({code->front(), code->back(), 1});
    std::vector<Branch> branches{{calls_[0], leaf_.front(), 1}, {recursive_, again_.front(), 1}};
    lines_.emplace(*program_, ranges, branches, locations_, 1);
    callees_.emplace(*program_, CalleeNames(program_->functions(), names_), branches);
    leaf_counts_.emplace(*program_, *lines_, *callees_, locations_);
  }
  LeafCounts& count(std::vector<Range> ranges, std::vector<Branch> branches = {}) {
    leaf_counts_->count(ranges, branches);
    return *leaf_counts_;
  }
  u64 row(u32 line) const {
    for (const auto& row : leaf_counts_->rows())
      if (locations_[row.location].line_offset == line) return row.count;
    return 0;
  }
  Range all(const std::vector<CodeIndex>& code, u64 times) const {
    return {code.front(), code.back(), times};
  }

  test::ScratchDir dir_;
  std::optional<program::Program> program_;
  std::vector<CodeIndex> start_, leaf_, again_, calls_;
  CodeIndex recursive_ = program::no_code;
  LocationTable locations_;
  profile::NameTable names_;
  std::optional<LeafLines> lines_;
  std::optional<KnownCallees> callees_;
  std::optional<LeafCounts> leaf_counts_;
};

TEST_F(LeafCountsTest, OfNothingAreNothing) {
  auto& counts = count({});
  EXPECT_EQ(counts.total(), 0u);
  EXPECT_EQ(counts.sum_of_lines(), 0u);
  EXPECT_EQ(counts.first().location, ContextSamples::none);
  EXPECT_TRUE(counts.rows().empty() && counts.targets().empty() && counts.entries().empty());
}

TEST_F(LeafCountsTest, ARangeThatNeverRanCountsNowhere) {
  EXPECT_EQ(count({all(leaf_, 0)}).total(), 0u);
  EXPECT_TRUE(leaf_counts_->rows().empty());
}

TEST_F(LeafCountsTest, TotalsAreOfInstructionsAndRowsOfLines) {
  auto& counts = count({all(leaf_, 4)});
  EXPECT_EQ(counts.total(), 4 * leaf_.size());
  EXPECT_EQ(row(1), 4u);
  EXPECT_EQ(counts.sum_of_lines(), 4 * counts.rows().size());
  EXPECT_EQ(counts.first().count, 4u);
}

TEST_F(LeafCountsTest, RangesThatOverlapAddUp) {
  EXPECT_EQ(count({all(leaf_, 4), {leaf_.back(), leaf_.back(), 2}}).total(), 4 * leaf_.size() + 2);
  EXPECT_EQ(row(1), 6u);
}

TEST_F(LeafCountsTest, OneCalleeOfTwoCallSitesIsEnteredFromBoth) {
  auto& counts = count({}, {{calls_[0], leaf_.front(), 3}, {calls_[1], leaf_.front(), 5}});
  ASSERT_EQ(counts.entries().size(), 2u);
  EXPECT_EQ(counts.entries()[0].call_site.line_offset, 1u);
  EXPECT_EQ(counts.entries()[0].count, 3u);
  EXPECT_EQ(counts.entries()[1].call_site.line_offset, 2u);
  EXPECT_EQ(counts.entries()[1].count, 5u);
  EXPECT_EQ(counts.targets().size(), 2u);
}

TEST_F(LeafCountsTest, CallsOfOneSiteAreOneEntry) {
  auto& counts = count({}, {{calls_[0], leaf_.front(), 3}, {calls_[0], leaf_.front(), 4}});
  ASSERT_EQ(counts.entries().size(), 1u);
  EXPECT_EQ(counts.entries()[0].count, 7u);
  EXPECT_EQ(row(1), 7u) << "a line ran as often as the calls from it";
}

TEST_F(LeafCountsTest, AFunctionThatCallsItselfIsEnteredFromItsOwnLine) {
  auto& counts = count({all(again_, 2)}, {{recursive_, again_.front(), 9}});
  ASSERT_EQ(counts.entries().size(), 1u);
  EXPECT_EQ(names_.text(counts.entries()[0].callee), "again");
  EXPECT_EQ(counts.entries()[0].call_site.line_offset, 1u);
  EXPECT_EQ(row(1), 9u);
}

TEST_F(LeafCountsTest, BranchesIntoTheMiddleEnterNothing) {
  auto& counts = count({}, {{leaf_.back(), start_.back(), 5}});
  EXPECT_TRUE(counts.entries().empty() && counts.targets().empty() && counts.rows().empty());
}

TEST_F(LeafCountsTest, EntriesFromOutsideHaveNoCallSite) {
  std::vector<Branch> branches{{program::no_code, leaf_.front(), 5}};
  for (bool whole : {true, false}) {
    whole ? leaf_counts_->count({}, branches) : leaf_counts_->count_entries(branches);
    ASSERT_EQ(leaf_counts_->entries().size(), 1u);
    EXPECT_EQ(leaf_counts_->entries()[0].call_site, profile::LineLocation{});
    EXPECT_TRUE(leaf_counts_->targets().empty() && leaf_counts_->rows().empty());
  }
}

TEST_F(LeafCountsTest, SumsStopAtTheLargestNumber) {
  auto& counts =
      count({all(leaf_, most)}, {{calls_[0], leaf_.front(), most}, {calls_[0], leaf_.front(), 1}});
  EXPECT_EQ(counts.total(), most);
  EXPECT_EQ(counts.sum_of_lines(), most);
  ASSERT_EQ(counts.entries().size(), 1u);
  EXPECT_EQ(counts.entries()[0].count, most);
  EXPECT_EQ(row(1), most);
}

TEST_F(LeafCountsTest, EachCountBeginsAnew) {
  count({all(leaf_, most)}, {{calls_[0], leaf_.front(), most}});
  EXPECT_EQ(count({all(leaf_, 1)}).total(), leaf_.size());
  EXPECT_EQ(row(1), 1u);
  EXPECT_TRUE(leaf_counts_->entries().empty() && leaf_counts_->targets().empty());
}

}  // namespace
}  // namespace pgokit::generate
