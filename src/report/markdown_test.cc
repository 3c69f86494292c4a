#include "report/markdown.h"

#include <gmock/gmock.h>

namespace pgokit::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Markdown, IsAHeadingATableAndTheRestFolded) {
  EXPECT_EQ(markdown({.title = "Profile",
                      .name = "app.prof",
                      .verdict = "good",
                      .columns = {"measure", "value"},
                      .rows = {{"density", "93.1"}, {"a|b", ""}},
                      .details = "one\ntwo\n"}),
            "### Profile `app.prof`: good\n\n"
            "| measure | value |\n| --- | --- |\n| density | 93.1 |\n| a\\|b |  |\n\n"
            "<details><summary>In full</summary>\n\n```text\none\ntwo\n```\n\n</details>\n");
}

TEST(Markdown, NamesCannotLeaveTheirCode) {
  EXPECT_EQ(markdown_code("a"), "`a`");
  EXPECT_EQ(markdown_code("a`b"), "``a`b``");
  EXPECT_EQ(markdown_code("``x"), "``` ``x ```");
  EXPECT_EQ(markdown_code("a\n# b\x1b"), "`a\\n# b\\x1b`");
  auto block = markdown_block("x\n```\n@everyone\n");
  EXPECT_THAT(block, StartsWith("````text\nx\n```\n"));
  EXPECT_THAT(block, EndsWith("\n````\n"));
  EXPECT_THAT(
      markdown(
          {.title = "T", .name = "``", .verdict = "v", .columns = {}, .rows = {}, .details = "d"}),
      HasSubstr("### T ``` `` ```: v"));
}

}  // namespace
}  // namespace pgokit::report
