#include "instr_profile/overlap/overlap.h"

#include <gmock/gmock.h>

#include "base/cursor.h"

namespace pgokit::instr_profile {
namespace {

using testing::HasSubstr;

struct Compared {
  Result<ProfileOverlap> whole;
  std::vector<std::string> functions;  // those handed over
};

Compared compare(std::string_view base, std::string_view test, const OverlapOptions& options = {}) {
  std::vector<std::string> functions;
  auto whole = compute_overlap(
      {as_bytes(base), as_bytes(test), "a.proftext", "b.proftext"}, options,
      [&](const FunctionOverlap& function) { functions.emplace_back(function.name); });
  return {std::move(whole), std::move(functions)};
}

constexpr std::string_view two_functions =
    ":ir\nf\n1\n2\n30\n10\n\ng\n2\n1\n60\n1\n0\n1\n2\nf:6\ng:2\n\n";

TEST(InstrOverlap, OfAProfileWithItselfIsWhole) {
  auto [overlap, functions] = compare(two_functions, two_functions, {.value_cutoff = 50});
  ASSERT_TRUE(overlap) << overlap.error().message;
  EXPECT_DOUBLE_EQ(overlap->both.counts, 1);
  EXPECT_DOUBLE_EQ(overlap->both.values[0], 1);
  EXPECT_EQ(overlap->both.entries, 2);
  EXPECT_EQ(overlap->base.counts, 100);
  EXPECT_EQ(functions, std::vector<std::string>{"g"});
}

TEST(InstrOverlap, IsTheSumOfTheSmallerShares) {
  auto [overlap, functions] =
      compare(two_functions, ":ir\nf\n1\n2\n10\n30\n\ng\n2\n1\n60\n\n", {.function = "f"});
  ASSERT_TRUE(overlap) << overlap.error().message;
  EXPECT_DOUBLE_EQ(overlap->both.counts, 0.2);
  EXPECT_EQ(overlap->mismatched.entries, 1);  // the sites of g are others
  EXPECT_DOUBLE_EQ(overlap->mismatched.counts, 0.6);
  EXPECT_EQ(functions, std::vector<std::string>{"f"});
}

TEST(InstrOverlap, TellsWhatOnlyTheTestProfileHas) {
  auto [overlap, functions] = compare(two_functions, ":ir\nf\n9\n1\n1\n\nh\n1\n1\n3\n\n");
  ASSERT_TRUE(overlap) << overlap.error().message;
  EXPECT_EQ(overlap->mismatched.entries, 1);
  EXPECT_EQ(overlap->only_in_test.entries, 1);
  EXPECT_DOUBLE_EQ(overlap->only_in_test.counts, 0.75);
}

TEST(InstrOverlap, OfNothingThatRanIsEmpty) {
  auto [overlap, functions] = compare(two_functions, ":ir\nf\n1\n1\n0\n");
  ASSERT_TRUE(overlap) << overlap.error().message;
  EXPECT_TRUE(overlap->empty());
  auto contexts = compare(two_functions, two_functions, {.context_sensitive = true}).whole;
  ASSERT_TRUE(contexts) << contexts.error().message;
  EXPECT_TRUE(contexts->empty());
}

TEST(InstrOverlap, NamesTheBrokenFile) {
  auto overlap = compare(two_functions, ":ir\nf\nx\n").whole;
  ASSERT_FALSE(overlap);
  EXPECT_THAT(overlap.error().message, HasSubstr("b.proftext: malformed"));
}

}  // namespace
}  // namespace pgokit::instr_profile
