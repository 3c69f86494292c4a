#include "cli/command_table.h"

#include <gtest/gtest.h>

namespace pgokit::cli {
namespace {

bool ran = false;

int run(std::span<char* const> arguments) {
  std::string format;
  bool json = false;
  OptionTable table{"pgokit try",
                    "Try it.",
                    {one_of({"-f,--format", "FORMAT", "{}; more", &format}, {"a", "b", "c"}),
                     {"--json", "", "print JSON", &json}},
                    ""};
  if (auto exit = parse_options(table, arguments)) return *exit;
  ran = true;
  return 0;
}

constexpr Command inner{"inner", "try it", run};
constexpr const Command* inner_commands[] = {&inner};

int refuse(std::span<char* const>) {
  ADD_FAILURE() << "a command of commands is not run";
  return 1;
}

constexpr Command outer{"outer", "commands", refuse, inner_commands};

TEST(CommandTable, IsTakenWithoutRunning) {
  auto table = table_of(inner);
  EXPECT_FALSE(ran);
  ASSERT_EQ(table.options.size(), 2u);
  EXPECT_EQ(table.command, "pgokit try");
  EXPECT_EQ(names_of(table.options[0]), (std::vector<std::string_view>{"-f", "--format"}));
  EXPECT_FALSE(is_switch(table.options[0]));
  EXPECT_TRUE(is_switch(table.options[1]));
  EXPECT_EQ(run({}), 0);
  EXPECT_TRUE(ran) << "afterwards commands run as before";
}

TEST(CommandTable, HasSubcommands) {
  auto text = text_of("pgokit", outer);
  EXPECT_EQ(text.name, "pgokit outer");
  EXPECT_TRUE(text.table.options.empty());
  ASSERT_EQ(text.subcommands.size(), 1u);
  EXPECT_EQ(text.subcommands[0].name, "pgokit outer inner");
  EXPECT_EQ(all_commands(text).size(), 2u);
}

TEST(CommandTable, ChoicesAreInTheHelp) {
  std::string value;
  EXPECT_EQ(one_of({"--x", "X", "{}; more", &value}, {"a", "b", "c"}).help,
            "a (default), b or c; more");
  EXPECT_EQ(one_of({"--x", "X", "{}", &value}, {"a", "b"}, First::is_like_the_others).help,
            "a or b");
  EXPECT_EQ(one_of({"--x", "X", "text", &value}, {"a"}).help, "text");
}

}  // namespace
}  // namespace pgokit::cli
