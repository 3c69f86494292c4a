#include "samples/branch_folder.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "test/support/tiny_program.h"

namespace pgokit::samples {
namespace {

class BranchFolderTest : public testing::Test {
 protected:
  // Newest first.
  void add(BranchFolder& folder, std::initializer_list<std::pair<u64, u64>> entries,
           u64 weight = 1) {
    for (auto [from, to] : entries) folder.entry(folder.place_of({from}), folder.place_of({to}));
    used_ = folder.end_sample(weight).used();
  }

  BranchSums sums() const { return merge({folder_}, 1); }

  std::string image_ = test::tiny_program().image();
  object::File file_ = *object::File::parse(as_bytes(image_));
  program::CodeSymbols symbols_{file_};
  program::CodeMap code_ = *program::CodeMap::build(file_, symbols_);
  BranchFolder folder_{code_};
  bool used_ = false;
};

TEST_F(BranchFolderTest, NeighboursEncloseARange) {
  add(folder_, {{0x401011, 0x40100c}, {0x401007, 0x401010}, {0x401002, 0x401007}}, 3);
  Counts expected{
      {{{0x401007}, {0x401007}, 3}, {{0x401010}, {0x401011}, 3}},
      {{{0x401002}, {0x401007}, 3}, {{0x401007}, {0x401010}, 3}, {{0x401011}, {0x40100c}, 3}}};
  EXPECT_EQ(sums().counts(), expected);
}

TEST_F(BranchFolderTest, BranchesFromOutsideCountIntoTheProgramOnly) {
  add(folder_, {{0x401007, 0x7000}, {0x9000, 0x401000}});
  EXPECT_EQ(sums().counts(), (Counts{{{{0x401000}, {0x401007}, 1}}, {{external, {0x401000}, 1}}}));
}

TEST_F(BranchFolderTest, WhatIsOutsideOnBothSidesIsNotThere) {
  add(folder_, {{0x401011, 0x40100c}, {0x7000, 0x8000}, {0x401007, 0x401010}});
  EXPECT_EQ(sums().counts().ranges, (std::vector<RangeCount>{{{0x401010}, {0x401011}, 1}}));
  EXPECT_TRUE(used_);
  add(folder_, {{0x7000, 0x8000}});
  EXPECT_FALSE(used_);
}

TEST_F(BranchFolderTest, ImpossibleRangesAreLeftOutButShown) {
  add(folder_, {{0x40100c, 0x7000}, {0x401011, 0x401000}});    // runs over the call
  add(folder_, {{0x401002, 0x401007}, {0x401011, 0x40100c}});  // ends before it starts
  EXPECT_TRUE(sums().counts().ranges.empty());
  EXPECT_EQ(sums().raw_ranges().size(), 2u);
}

// 0x401001 is inside of an instruction.
TEST_F(BranchFolderTest, WhatIsNoInstructionIsOutside) {
  for (int round = 0; round < 2; ++round) {
    add(folder_, {{0x401011, 0x40100c}, {0x401001, 0x9000}, {0x401007, 0x401010}});
    add(folder_, {{0x401011, 0x40100c}, {0x401001, 0x401010}});  // of the oldest
    add(folder_, {{0x401001, 0x401001}});
    EXPECT_FALSE(used_);
    add(folder_, {{0x401001, 0x401007}});
    EXPECT_TRUE(used_);
  }
  Counts expected{{{{0x401010}, {0x401011}, 4}},
                  {{external, {0x401007}, 2},
                   {external, {0x401010}, 2},
                   {{0x401007}, {0x401010}, 2},
                   {{0x401011}, {0x40100c}, 4}}};
  EXPECT_EQ(sums().counts(), expected);
}

TEST_F(BranchFolderTest, MergeIsTheSameInAnyOrder) {
  BranchFolder a(code_), b(code_);
  add(a, {{0x401011, 0x40100c}, {0x401007, 0x401010}}, 2);
  add(b, {{0x401011, 0x40100c}, {0x401007, 0x401010}}, 5);
  add(b, {{0x401002, 0x401007}});
  auto ab = merge({a, b}, 1), ba = merge({b, a}, 2);
  EXPECT_EQ(ab.counts(), ba.counts());
  Counts sum = merge({a}, 1).counts();
  merge(sum, merge({b}, 1).counts());
  EXPECT_EQ(sum, ab.counts());
}

TEST_F(BranchFolderTest, StacksOfOneBranchEachRunToTheNextBranch) {
  program::FunctionTable functions{{{.name = "main", .begin = 0x401000, .end = 0x40100d},
                                    {.name = "leaf", .begin = 0x401010, .end = 0x401012}},
                                   symbols_,
                                   0x1000};
  auto passed = [&](u64 to, u64 weight) {
    folder_.not_taken(folder_.place_of({to}));
    return folder_.end_sample(weight).used();
  };
  add(folder_, {{0x401007, 0x401010}}, 3);
  add(folder_, {{0x9000, 0x401010}});
  add(folder_, {{0x401002, 0x401007}}, 2);
  add(folder_, {{0x401011, 0x7000}});
  add(folder_, {{0x401011, 0x40100d}});  // in no function
  EXPECT_TRUE(passed(0x401004, 4));
  EXPECT_FALSE(passed(0x401005, 1));
  EXPECT_TRUE(passed(0x401007, 1));
  auto sums = this->sums();
  EXPECT_TRUE(sums.counts().ranges.empty());
  sums.add_ranges_to_next_branch(functions);
  EXPECT_EQ(sums.counts().ranges, (std::vector<RangeCount>{{{0x401004}, {0x401007}, 4},
                                                           {{0x401007}, {0x401007}, 3},
                                                           {{0x40100d}, {0x40100d}, 1},
                                                           {{0x401010}, {0x401011}, 4}}));
  EXPECT_EQ(sums.counts().branches, (std::vector<BranchCount>{{external, {0x401010}, 1},
                                                              {{0x401002}, {0x401007}, 2},
                                                              {{0x401007}, {0x401010}, 3},
                                                              {{0x401011}, {0x40100d}, 1}}));
}

// leaf does not end in a branch here: what is behind it is another function's.
TEST_F(BranchFolderTest, StacksOfOneBranchEachStayInTheirFunction) {
  add(folder_, {{0x401011, 0x401000}, {0x401011, 0x401000}});
  add(folder_, {{0x401002, 0x401004}});
  for (auto [other, last] : {std::pair("other", 0x401004), {"main", 0x401007}}) {
    program::FunctionTable functions{{{.name = "main", .begin = 0x401000, .end = 0x401007},
                                      {.name = other, .begin = 0x401007, .end = 0x40100d}},
                                     symbols_,
                                     0x1000};
    auto sums = this->sums();
    sums.add_ranges_to_next_branch(functions);
    EXPECT_EQ(sums.counts().ranges.back().last.value, static_cast<u64>(last)) << other;
  }
}

}  // namespace
}  // namespace pgokit::samples
