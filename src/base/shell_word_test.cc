#include "base/shell_word.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(ShellWord, IsQuotedWhereAShellWouldDivideIt) {
  EXPECT_EQ(shell_word("/a/b-c.so+1"), "/a/b-c.so+1");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(x)"), "'$(x)'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(ShellWord, WordsOfALineAreDividedAsByAShell) {
  using testing::ElementsAre, testing::IsEmpty, testing::Optional;
  EXPECT_THAT(shell_words(""), Optional(IsEmpty()));
  EXPECT_THAT(shell_words(" -O2\t -g\n"), Optional(ElementsAre("-O2", "-g")));
  EXPECT_THAT(shell_words("'-DA=a b' -DB=\"c d\" -DC=e\\ f ''"),
              Optional(ElementsAre("-DA=a b", "-DB=c d", "-DC=e f", "")));
  EXPECT_THAT(shell_words(R"("-DA=\"x\"" '\n' "\n")"),
              Optional(ElementsAre("-DA=\"x\"", "\\n", "\\n")));
  EXPECT_THAT(shell_words("it's"), testing::Eq(std::nullopt));
}

}  // namespace
}  // namespace pgokit
