#include "report/print.h"

#include <gtest/gtest.h>

namespace pgokit::report {
namespace {

using namespace std::string_view_literals;

TEST(Format, LeavesNoLineEndToNames) {
  std::string name = "f\nwarning  none\t\x1b[2J";
  EXPECT_EQ(format("function {}\n", name), "function f\\nwarning  none\\t\\x1b[2J\n");
  EXPECT_EQ(format("{} {}", std::string_view(name).substr(0, 2), 7), "f\\n 7");
  EXPECT_EQ(format("{:<6}|", "a\n"sv), "a\\n   |");
}

TEST(Format, KeepsTheProgramsOwn) {
  EXPECT_EQ(format("{}{:.1f}{}", "two\n", 2.5, true ? "\tlines\n" : ""), "two\n2.5\tlines\n");
  EXPECT_EQ(format("{}", lines("a\nb\n")), "a\nb\n");
}

}  // namespace
}  // namespace pgokit::report
