#include "cli/function_filter.h"

#include <gtest/gtest.h>

namespace pgokit::cli {
namespace {

TEST(FunctionFilter, MatchesAnywhere) {
  auto filter = FunctionFilter::compile("^_Z.*map|main$");
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->is_set());
  EXPECT_TRUE(filter->matches("_ZN3mapE"));
  EXPECT_TRUE(filter->matches(std::string_view("xmainy").substr(0, 5)));  // no NUL needed
  EXPECT_FALSE(filter->matches("mapx"));
  EXPECT_FALSE(filter->matches(""));
}

TEST(FunctionFilter, EmptyMatchesAll) {
  auto filter = FunctionFilter::compile("");
  ASSERT_TRUE(filter);
  EXPECT_FALSE(filter->is_set());
  EXPECT_TRUE(filter->matches(""));
}

TEST(FunctionFilter, NonsenseIsWrongUsage) {
  auto filter = FunctionFilter::compile("a(");
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().exit_code, 2);
}

}  // namespace
}  // namespace pgokit::cli
