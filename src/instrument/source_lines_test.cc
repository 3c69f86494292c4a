#include "instrument/source_lines.h"

#include <gtest/gtest.h>

namespace pgokit::instrument {
namespace {

SourceFile example() {
  return {
      .name = "/src/a.c", .lines = {{1, 5}, {3, 0}}, .functions = {{1, "main", 5}, {3, "f", 0}}};
}

TEST(SourceLines, AsLcovInfo) {
  EXPECT_EQ(lcov_info({example()}, "").text,
            "TN:\nSF:/src/a.c\nFN:1,main\nFN:3,f\nFNDA:5,main\nFNDA:0,f\nFNF:2\nFNH:1\n"
            "DA:1,5\nDA:3,0\nLF:2\nLH:1\nend_of_record\n");
}

TEST(SourceLines, NamesThatWouldEndALineAreLeftOutOfLcovInfo) {
  auto file = example();
  file.functions.push_back({5, "g\nSF:/etc/passwd", 1});
  auto info = lcov_info(
      {file, {.name = "/src/b.c\nend_of_record", .lines = {{1, 1}}, .functions = {}}}, "");
  EXPECT_EQ(info.text, lcov_info({example()}, "").text);
  EXPECT_EQ(info.left_out, 2u);
}

TEST(SourceLines, InFrontOfTheText) {
  EXPECT_EQ(annotate(example(), "int main() {\n\n  f();\n}"),
            "           5:     1: int main() {\n"
            "           -:     2: \n"
            "       #####:     3:   f();\n"
            "           -:     4: }\n");
  EXPECT_EQ(annotate(example(), ""), "");
}

TEST(SourceLines, PlacesWithoutFolders) {
  EXPECT_EQ((Place{"/src/a.c", 7}).text(), "a.c:7");
  EXPECT_EQ(Place{}.text(), "");
}

}  // namespace
}  // namespace pgokit::instrument
