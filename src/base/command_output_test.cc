#include "base/command_output.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(CommandOutput, IsWhatIsPrinted) {
  auto text = output_of_command({"sh", "-c", "cat; echo seen; echo too >&2"});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, "seen\ntoo\n");
}

TEST(CommandOutput, FailuresNameTheCommand) {
  auto message = [](const std::vector<std::string>& words) {
    auto text = output_of_command(words);
    return text ? "none" : text.error().message;
  };
  EXPECT_EQ(message({"/nonexistent/clang"}),
            "/nonexistent/clang: cannot be run: No such file or directory");
  EXPECT_EQ(message({"sh", "-c", "exit 3"}), "sh: ends with exit code 3");
  EXPECT_EQ(message({"sh", "-c", "echo hint; echo error: no such flag >&2; echo help; exit 1"}),
            "sh: no such flag");
  EXPECT_EQ(message({"sh", "-c", "echo BOLT-INFO: x; echo BOLT-ERROR: no such file; exit 1"}),
            "sh: no such file");
  EXPECT_EQ(message({"sh", "-c", "kill -9 $$"}), "sh: was ended by signal 9");
  EXPECT_EQ(message({"sh", "-c", "echo one; echo oops; kill -9 $$"}),
            "sh: was ended by signal 9 (oops)");
  EXPECT_EQ(message({"sh", "-c", "echo oops; echo; exit 3"}), "sh: ends with exit code 3 (oops)");
  EXPECT_EQ(
      message({"sh", "-c", "while :; do echo 0123456789012345678901234567890123456789; done"}),
      "sh: prints more than a megabyte");
}

}  // namespace
}  // namespace pgokit
