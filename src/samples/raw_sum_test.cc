#include "samples/raw_sum.h"

#include <gmock/gmock.h>

namespace pgokit::samples {
namespace {

std::string text_of(const RawSum& sum) {
  std::string text;
  sum.write([&](std::string_view part) { text += part; });
  return text;
}

constexpr std::string_view flat = "1\n860-871:193\n2\nffffffffffdff001->860:1\n871->780:198\n";
constexpr std::string_view contexts =
    "[b]\n  1\n  860-871:1\n  0\n[a:1 @ b]\n  0\n  1\n  871->780:2\n";

TEST(RawSum, AddsInAnyOrder) {
  RawSum a, b;
  EXPECT_TRUE(a.add(flat, 2).has_value());
  EXPECT_TRUE(a.add("1\n800-801:5\n0\n", 1).has_value());
  EXPECT_TRUE(b.add("1\n800-801:5\n0\n", 1).has_value());
  EXPECT_TRUE(b.add(text_of(a), 1).has_value());
  EXPECT_EQ(text_of(a), "2\n800-801:5\n860-871:386\n2\nffffffffffdff001->860:2\n871->780:396\n");
  EXPECT_EQ(text_of(b), "2\n800-801:10\n860-871:386\n2\nffffffffffdff001->860:2\n871->780:396\n");
  RawSum again;
  EXPECT_TRUE(again.add(flat, 1).has_value());
  EXPECT_EQ(text_of(again), flat);
}

TEST(RawSum, SortsContextsByTheirText) {
  RawSum sum;
  EXPECT_TRUE(sum.add(contexts, 1).has_value());
  EXPECT_EQ(text_of(sum), "[a:1 @ b]\n  0\n  1\n  871->780:2\n[b]\n  1\n  860-871:1\n  0\n");
}

TEST(RawSum, TotalsAreOfAllContexts) {
  RawSum sum;
  EXPECT_TRUE(sum.add(contexts, 1).has_value());
  auto totals = sum.totals();
  EXPECT_EQ(totals.contexts, 2u);
  EXPECT_EQ(totals.ranges, 1u);
  EXPECT_EQ(totals.ran, 1u);
  EXPECT_EQ(totals.branches, 1u);
  EXPECT_EQ(totals.taken, 2u);
}

TEST(RawSum, TakesNothingOfABrokenText) {
  RawSum sum;
  EXPECT_FALSE(sum.add("", 1));
  EXPECT_FALSE(sum.add("1\n860-871:193\n1\n", 1));
  EXPECT_FALSE(sum.add("[a\n0\n0\n", 1));
  EXPECT_TRUE(sum.empty());
  EXPECT_TRUE(sum.add("1\n1-2:18446744073709551615\n0\n", 3).has_value());
  EXPECT_EQ(text_of(sum), "1\n1-2:18446744073709551615\n0\n");
  EXPECT_THAT(sum.add(contexts, 1).error().message, testing::HasSubstr("with contexts"));
}

}  // namespace
}  // namespace pgokit::samples
