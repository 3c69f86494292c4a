#include <gtest/gtest.h>

#include "annotate/function_code.h"

namespace pgokit::annotate {
namespace {

// A function whose lines are given instruction by instruction; 0: not known.
class OwnLinesTest : public testing::Test {
 protected:
  OwnLinesTest() { code_.files = {"/src/a.c", "/src/a.h"}; }

  void add(u32 line, u64 count, bool leaves = false, u32 file = 0) {
    Place place;
    if (line) place.frames.push_back({file, line, "f"});
    code_.places.push_back(place);
    Instruction one;
    one.count = count;
    one.place = static_cast<u32>(code_.places.size() - 1);
    one.leaves = leaves;
    code_.instructions.push_back(one);
  }
  void add_probe(u32 id, probe::Type type = probe::Type::block) {
    code_.probes.push_back({static_cast<u32>(code_.instructions.size()), 0, type, {{"f", id}}});
  }
  u64 count_of(u32 line) const {
    for (const auto& one : own_lines(code_).lines)
      if (one.line == line) return one.count;
    return ~u64{0};
  }

  FunctionCode code_;
};

TEST_F(OwnLinesTest, NothingIsKnown) {
  EXPECT_EQ(own_lines(code_).file, nowhere);
  add_probe(1);
  add(0, 7);
  EXPECT_TRUE(own_lines(code_).lines.empty());
}

TEST_F(OwnLinesTest, WithoutProbesALineIsItsMostFrequentInstruction) {
  add(3, 1);
  add(3, 9);
  add(4, 2);
  EXPECT_EQ(count_of(3), 9u);
  EXPECT_EQ(count_of(4), 2u);
}

// while (next()) body(): the condition is tested before the loop, and at its end without a line.
TEST_F(OwnLinesTest, TheCopyThatRunsHasLostItsLine) {
  add_probe(2);
  add(3, 0, true);
  add_probe(3);
  add(4, 100);
  add_probe(2);
  add(0, 100, true);
  EXPECT_EQ(count_of(3), 100u);
  EXPECT_EQ(count_of(4), 100u);
}

TEST_F(OwnLinesTest, CopiesAddUp) {
  for (u64 count : {50, 50, 3}) {
    add_probe(2);
    add(3, count);
    add(4, count, true);
  }
  EXPECT_EQ(count_of(3), 103u);
  EXPECT_EQ(count_of(4), 103u);
}

TEST_F(OwnLinesTest, ABlockEndsAtAJumpAtAProbeAndWhereCountsChange) {
  add_probe(2);
  add(3, 10, true);
  add(4, 10);  // after a jump
  add_probe(3);
  add(5, 10);
  add(6, 4);  // other counts
  add_probe(2);
  add(0, 1000);
  add_probe(3);
  add(0, 2000);
  EXPECT_EQ(count_of(3), 1010u);
  EXPECT_EQ(count_of(4), 10u);
  EXPECT_EQ(count_of(5), 2010u);
  EXPECT_EQ(count_of(6), 4u);
}

// Which of them the code is of is not known: block 3 ran in a loop elsewhere.
TEST_F(OwnLinesTest, BlocksThatHaveBecomeOneHaveItsCount) {
  add_probe(3);
  add(2, 90, true);
  add_probe(3);
  add_probe(4);
  add(5, 7);
  add(6, 7, true);
  EXPECT_EQ(count_of(2), 97u);
  EXPECT_EQ(count_of(5), 7u);
  EXPECT_EQ(count_of(6), 7u);
}

TEST_F(OwnLinesTest, ACallHasItsOwnProbe) {
  add_probe(2);
  add(3, 10);
  add_probe(5, probe::Type::direct_call);
  add(4, 10);
  add_probe(5, probe::Type::direct_call);
  add(0, 30);
  EXPECT_EQ(count_of(3), 10u);
  EXPECT_EQ(count_of(4), 40u);
}

TEST_F(OwnLinesTest, LinesOfOtherFilesAreNotThoseOfTheFunction) {
  add_probe(1);
  add(3, 1);
  add(3, 1, true, 1);
  add_probe(1);
  add(0, 8);
  EXPECT_EQ(own_lines(code_).lines.size(), 1u);
  EXPECT_EQ(count_of(3), 9u);
}

}  // namespace
}  // namespace pgokit::annotate
