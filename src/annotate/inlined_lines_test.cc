#include "annotate/inlined_lines.h"

#include <gmock/gmock.h>

namespace pgokit::annotate {
namespace {

class InlinedLinesTest : public testing::Test {
 protected:
  InlinedLinesTest() { code_.files = {"/src/a.c", "/src/a.h"}; }

  void add(u64 count, std::vector<Place::Frame> frames) {
    code_.places.push_back({std::move(frames)});
    Instruction one;
    one.count = count;
    one.place = static_cast<u32>(code_.places.size() - 1);
    code_.instructions.push_back(one);
  }
  // "g 10:5+ 11:2": lines with their counts, + where something was inlined.
  std::vector<std::string> seen() const {
    std::vector<std::string> list;
    for (const auto& one : inlined_lines(code_)) {
      auto text = fmt::format("{} {}", one.function, one.instructions);
      for (const auto& line : one.lines)
        text += fmt::format(" {}:{}{}", line.line, line.count, line.inlined ? "+" : "");
      list.push_back(text);
    }
    return list;
  }

  FunctionCode code_;
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(InlinedLinesTest, NothingWasInlined) {
  EXPECT_THAT(seen(), IsEmpty());
  add(7, {});
  add(7, {{0, 3, "f"}});
  EXPECT_THAT(seen(), IsEmpty());
}

TEST_F(InlinedLinesTest, NothingOfItRan) {
  add(0, {{0, 3, "f"}, {1, 10, "g"}});
  EXPECT_THAT(seen(), IsEmpty());
}

TEST_F(InlinedLinesTest, PlacesThatAreNotKnown) {
  add(5, {{0, 3, "f"}, {nowhere, 10, "g"}});
  add(5, {{0, 3, "f"}, {1, 0, "g"}});
  EXPECT_THAT(seen(), IsEmpty());
}

TEST_F(InlinedLinesTest, ALineIsItsMostFrequentInstructionInACopy) {
  add(5, {{0, 3, "f"}, {1, 10, "g"}});
  add(4, {{0, 3, "f"}, {1, 10, "g"}});
  add(0, {{0, 3, "f"}, {1, 11, "g"}});
  EXPECT_THAT(seen(), ElementsAre("g 9 10:5 11:0"));
}

TEST_F(InlinedLinesTest, CopiesAddUp) {
  add(5, {{0, 3, "f"}, {1, 10, "g"}});
  add(7, {{0, 4, "f"}, {1, 10, "g"}});
  EXPECT_THAT(seen(), ElementsAre("g 12 10:12"));
}

TEST_F(InlinedLinesTest, WhatIsInlinedFurtherCountsAtItsCallToo) {
  add(5, {{0, 3, "f"}, {1, 10, "g"}, {1, 20, "h"}});
  add(1, {{0, 3, "f"}, {1, 11, "g"}});
  EXPECT_THAT(seen(), ElementsAre("h 5 20:5", "g 1 10:5+ 11:1"));
}

TEST_F(InlinedLinesTest, FunctionsOfOneNameInTwoFiles) {
  add(5, {{0, 3, "f"}, {0, 10, "g"}});
  add(9, {{0, 3, "f"}, {1, 10, "g"}});
  EXPECT_THAT(seen(), ElementsAre("g 9 10:9", "g 5 10:5"));
}

}  // namespace
}  // namespace pgokit::annotate
