#include "measure/output_difference.h"

#include <gtest/gtest.h>

namespace pgokit::measure {
namespace {

TEST(FirstDifference, NamesTheLine) {
  EXPECT_EQ(first_difference("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(first_difference("a\nb\n", "a\nc\n"), "line 2 is 'b', not 'c'");
  EXPECT_EQ(first_difference("a\n", "a\nb\n"), "line 2 is missing, not 'b'");
  EXPECT_EQ(first_difference("a\n\n", "a\n"), "line 2 is '', not missing");
  EXPECT_EQ(first_difference("\033[31m", "a"), "line 1 is '\\x1b[31m', not 'a'");
}

TEST(FirstDifference, CutsLongLines) {
  std::string start(100, 'x'), end(100, 'y');
  EXPECT_EQ(first_difference(start + "1" + end, start + "2" + end),
            "line 1 is ... '" + std::string(20, 'x') + "1" + std::string(39, 'y') +
                "...', not ... '" + std::string(20, 'x') + "2" + std::string(39, 'y') + "...'");
}

}  // namespace
}  // namespace pgokit::measure
