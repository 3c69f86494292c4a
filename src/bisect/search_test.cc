#include "bisect/search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <map>

namespace pgokit::bisect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Things that take time (or save it: below 0), and a noise that hides what is smaller.
struct Trial {
  size_t count;
  std::map<size_t, double> costs;
  Numbers gone = {};

  double cost_of(const Numbers& numbers) const {
    double sum = 0;
    for (size_t n : numbers)
      if (auto found = costs.find(n); found != costs.end()) sum += found->second;
    return sum;
  }
  Found search(u64 most_tests) {
    Search search{.count = count,
                  .most_tests = most_tests,
                  .is_better_without = [&](const Numbers& left_out) -> Result<bool> {
                    return cost_of(left_out) > 0.5;
                  }};
    auto found = search.run();
    EXPECT_TRUE(found);
    return found ? *found : Found{};
  }
};

u64 twice_log2(size_t count) { return 2 * static_cast<u64>(std::bit_width(count - 1)); }

TEST(Search, OneIsFoundWithinTwiceTheLogarithm) {
  for (size_t count : {16, 17, 64, 100, 1000, 4096})
    for (size_t culprit : {size_t{0}, count / 3, count / 2, count - 1}) {
      auto found = Trial{count, {{culprit, 1}}}.search(twice_log2(count));
      EXPECT_THAT(found.culprits, ElementsAre(Numbers{culprit})) << count << " " << culprit;
      EXPECT_LE(found.tests, twice_log2(count));
    }
}

TEST(Search, NoneIsFoundWhereThereIsNone) {
  auto found = Trial{64, {}}.search(12);
  EXPECT_THAT(found.culprits, IsEmpty());
  EXPECT_EQ(found.tests, 12);
  EXPECT_TRUE(found.exhausted);
  EXPECT_THAT((Trial{1, {}}.search(12).culprits), IsEmpty());
  EXPECT_THAT((Trial{0, {}}.search(12).culprits), IsEmpty());
}

TEST(Search, SeveralAreFoundOneAfterTheOther) {
  auto found = Trial{64, {{3, 1}, {40, 1}}}.search(100);
  EXPECT_THAT(found.culprits, testing::UnorderedElementsAre(Numbers{3}, Numbers{40}));
}

TEST(Search, WhatIsHiddenByMoreGoodIsFound) {
  auto found = Trial{64, {{3, -5}, {50, 1}}}.search(100);
  EXPECT_THAT(found.culprits, testing::Contains(Numbers{50}));
}

TEST(Search, WhatIsWorseOnlyTogetherIsAGroup) {
  auto found = Trial{8, {{1, 0.3}, {6, 0.3}}}.search(100);
  ASSERT_FALSE(found.culprits.empty());
  EXPECT_THAT(found.culprits[0], testing::IsSupersetOf({1, 6}));
}

TEST(Search, WhatIsNotNarrowedDownIsNoCulprit) {
  auto found = Trial{64, {{3, 1}}}.search(4);
  EXPECT_THAT(found.culprits, IsEmpty());
  EXPECT_THAT(found.unresolved, testing::AllOf(testing::SizeIs(8), testing::Contains(3)));
  EXPECT_TRUE(found.exhausted);
}

TEST(Search, ATestThatIsWrongIsMadeUpFor) {
  u64 tests = 0;
  Search search{.count = 64,
                .most_tests = 30,
                .is_better_without = [&](const Numbers& left_out) -> Result<bool> {
                  return std::ranges::count(left_out, 3) > 0 && ++tests != 4;
                }};
  auto found = search.run();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->culprits, ElementsAre(Numbers{3}));
}

TEST(Search, WhatIsKnownIsNotTested) {
  for (size_t count : {2, 16, 100}) {
    Numbers first;
    Search search{.count = count,
                  .most_tests = twice_log2(count) + 2,
                  .all_are_known = true,
                  .is_better_without = [&](const Numbers& left_out) -> Result<bool> {
                    if (first.empty()) first = left_out;
                    return std::ranges::count(left_out, count - 1) > 0;
                  }};
    auto found = search.run();
    ASSERT_TRUE(found);
    EXPECT_THAT(found->culprits, ElementsAre(Numbers{count - 1}));
    EXPECT_LT(first.size(), count);
    // The rest is tried as well.
    EXPECT_LE(found->tests, static_cast<u64>(std::bit_width(count - 1)) + 2);
  }
}

TEST(Search, AFailingTestEndsIt) {
  Search search{
      .count = 8, .most_tests = 9, .is_better_without = [](const Numbers&) -> Result<bool> {
        return fail("make failed");
      }};
  EXPECT_EQ(search.run().error().message, "make failed");
}

}  // namespace
}  // namespace pgokit::bisect
