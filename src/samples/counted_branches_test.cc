#include "samples/counted_branches.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "test/support/tiny_program.h"

namespace pgokit::samples {
namespace {

class CountedBranches : public testing::Test {
 protected:
  using Place = perf::BranchCounts::Place;
  // Offsets in the file are those in the code.
  static Place in_app(u64 offset) { return {0, 0x1000 + offset}; }
  static Place in_library(u64 offset) { return {1, offset}; }

  CountedPlaces places() {
    counted_.files = {{"/bin/app", file_.build_id()}, {"/lib/library.so", {}}};
    std::ranges::sort(counted_.branches);
    ProgramMatch match("app", file_.build_id(), {});
    return {counted_, code_, match, false, maps_};
  }
  Counts counts() { return sums_of(counted_, code_, places()).counts(); }

  std::string image_ = test::tiny_program().image();
  object::File file_ = *object::File::parse(as_bytes(image_));
  program::CodeSymbols symbols_{file_};
  program::CodeMap code_ = *program::CodeMap::build(file_, symbols_);
  ProgramMaps maps_{file_};
  perf::BranchCounts counted_;
};

// main, called by a library, which jumps over the addition twice in five times.
TEST_F(CountedBranches, WhatRanBetweenThemFollows) {
  counted_.branches = {{in_library(8), in_app(0), 5},    {in_app(2), in_app(7), 2},
                       {in_app(7), in_app(0x10), 5},     {in_app(0x11), in_app(0xc), 5},
                       {in_app(0xc), in_library(13), 5}, {in_library(13), in_library(20), 9}};
  Counts expected{{{{0x401000}, {0x401002}, 2},
                   {{0x401000}, {0x401007}, 3},
                   {{0x401007}, {0x401007}, 2},
                   {{0x40100c}, {0x40100c}, 5},
                   {{0x401010}, {0x401011}, 5}},
                  {{external, {0x401000}, 5},
                   {{0x401002}, {0x401007}, 2},
                   {{0x401007}, {0x401010}, 5},
                   {{0x40100c}, external, 5},
                   {{0x401011}, {0x40100c}, 5}}};
  EXPECT_EQ(counts(), expected);
  auto elsewhere = elsewhere_of(counted_, ProgramMatch("app", file_.build_id(), {}), false);
  EXPECT_EQ(elsewhere.part, 5u + 9u);
  EXPECT_EQ(elsewhere.all, 31u);
  EXPECT_DOUBLE_EQ(elsewhere.rest(), 17.0 / 31);
  EXPECT_DOUBLE_EQ(BranchShare().rest(), 1);
}

TEST_F(CountedBranches, AStretchBeginsAndEndsAnywhere) {
  counted_.branches = {{in_app(7), in_app(0x10), 1}};
  counted_.begun = {{in_app(4), 1}};
  counted_.ended = {{in_app(0x11), 1}};
  EXPECT_EQ(counts().ranges,
            (std::vector<RangeCount>{{{0x401004}, {0x401007}, 1}, {{0x401010}, {0x401010}, 1}}));
}

TEST_F(CountedBranches, AStretchOfNothingIsNoRange) {
  counted_.begun = {{in_app(4), 1}};
  counted_.ended = {{in_app(4), 1}};
  EXPECT_TRUE(counts().ranges.empty());
}

TEST_F(CountedBranches, AStretchEndsWhereABranchLeads) {
  counted_.branches = {{in_app(7), in_app(0x10), 3},
                       {in_app(0xc), in_library(13), 2},
                       {in_app(0x11), in_app(0xc), 2}};
  counted_.begun = {{in_app(7), 3}};
  counted_.ended = {{in_app(0x10), 1}};
  EXPECT_EQ(counts().ranges, (std::vector<RangeCount>{{{0x401007}, {0x401007}, 3},
                                                      {{0x40100c}, {0x40100c}, 2},
                                                      {{0x401010}, {0x401011}, 2}}));
}

TEST_F(CountedBranches, WhatRarelyRanIsNotRoundedToNothing) {
  counted_.scale = 100;
  counted_.branches = {{in_app(7), in_app(0x10), 3}, {in_app(0x11), in_app(0xc), 260}};
  EXPECT_EQ(counts().branches,
            (std::vector<BranchCount>{{{0x401007}, {0x401010}, 1}, {{0x401011}, {0x40100c}, 3}}));
}

}  // namespace
}  // namespace pgokit::samples
