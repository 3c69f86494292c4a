#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(ShellWord, IsQuotedWhereAShellWouldDivideIt) {
  EXPECT_EQ(shell_word("/a/b-c.so+1"), "/a/b-c.so+1");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(x)"), "'$(x)'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace pgokit
