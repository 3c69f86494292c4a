#include "cli/views/man_page.h"

#include <gtest/gtest.h>

namespace pgokit::cli {
namespace {

CommandText program() {
  return {.name = "pgokit", .summary = "faster", .table = {}, .subcommands = {}};
}

CommandText command(OptionTable table) {
  return {.name = "pgokit try", .summary = "try it", .table = std::move(table), .subcommands = {}};
}

TEST(ManPage, HasOptionsAndPositionals) {
  bool json = false;
  std::string output;
  std::vector<std::string> inputs;
  auto page = man_page(command({"pgokit try",
                                "Try it.",
                                {{"FILE", "", "the file", &inputs, true},
                                 {"-o,--output", "FILE", "... it's \\n", &output},
                                 {"--hidden", "", "", &json, false, true}},
                                ""}),
                       program());
  EXPECT_NE(page.find(".TH PGOKIT\\-TRY 1 "), page.npos);
  EXPECT_NE(page.find("pgokit\\-try \\- try it\n"), page.npos);
  EXPECT_NE(page.find("\\fBpgokit try\\fR [options] \\fIFILE\\fR...\n"), page.npos);
  EXPECT_NE(
      page.find(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n\\&... it\\(aqs \\en\n"),
      page.npos)
      << page;
  EXPECT_EQ(page.find("hidden"), page.npos);
  EXPECT_NE(page.find(".SH SEE ALSO\n\\fBpgokit\\fR(1)\n"), page.npos);
}

TEST(ManPage, DividesTheFooter) {
  auto page = man_page(
      command(
          {"pgokit try", "Try it.", {}, "\nkinds:\n  a  b\n\nexample:\n  .x\nText\nruns on.\n"}),
      program());
  EXPECT_NE(page.find(".SH NOTES\n.SS Kinds\n.PP\n.EX\n  a  b\n.EE\n.PP\nText\nruns on.\n"
                      ".SH EXAMPLES\n.PP\n.EX\n  .x\n.EE\n"),
            page.npos)
      << page;
}

TEST(ManPage, OfTheProgramNamesItsCommands) {
  auto all = program();
  all.subcommands.push_back(command({}));
  auto page = man_page(all, all);
  EXPECT_NE(page.find(".TP\n\\fBpgokit\\-try\\fR(1)\ntry it\n"), page.npos) << page;
  EXPECT_EQ(page.find("SEE ALSO"), page.npos);
}

}  // namespace
}  // namespace pgokit::cli
