#include "measure/signed_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace pgokit::measure {
namespace {

// Of published tables: the critical sums for 5 % (two-sided) are 0 at 6 pairs, 8 at 10, 52 at 20,
// 137 at 30; the interval is between the means that many from both ends.
TEST(SignedRanks, IntervalIsThatOfTables) {
  for (auto [pairs, outside] : {std::pair{6, 0},
                                {7, 2},
                                {8, 3},
                                {9, 5},
                                {10, 8},
                                {12, 13},
                                {15, 25},
                                {20, 52},
                                {25, 89},
                                {30, 137},
                                {50, 434}}) {
    std::vector<double> powers;  // all means differ, and their order is known
    for (int i = 0; i < pairs; ++i) powers.push_back(std::ldexp(1.0, i));
    std::vector<double> means;
    for (int i = 0; i < pairs; ++i)
      for (int j = 0; j <= i; ++j) means.push_back((powers[i] + powers[j]) / 2);
    std::ranges::sort(means);
    auto shift = shift_of(powers, 0.95);
    ASSERT_TRUE(shift);
    EXPECT_EQ(shift->low, means[static_cast<size_t>(outside)]) << pairs;
    EXPECT_EQ(shift->high, means[means.size() - 1 - static_cast<size_t>(outside)]) << pairs;
  }
}

TEST(SignedRanks, FewPairsTellNothing) {
  EXPECT_EQ(least_pairs(0.95), 6U);
  EXPECT_EQ(least_pairs(0.99), 8U);
  EXPECT_FALSE(shift_of({}, 0.95));
  EXPECT_FALSE(shift_of({1, 2, 3, 4, 5}, 0.95));
  EXPECT_TRUE(shift_of({1, 2, 3, 4, 5, 6}, 0.95));
}

TEST(SignedRanks, EqualDifferencesAreTheShift) {
  auto shift = shift_of(std::vector<double>(20, -0.25), 0.95);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->low, -0.25);
  EXPECT_EQ(shift->estimate, -0.25);
  EXPECT_EQ(shift->high, -0.25);
}

// Times with a long tail on a machine that becomes slower all the time: of 4,000 measurements of a
// program with itself 5 % may be wrong, and 5 % are 200 +- 14.
TEST(SignedRanks, FalseAlarmsAreAsRareAsPromised) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> tail(0, 1.5);
  for (size_t pairs : {6U, 10U, 25U, 80U}) {
    int alarms = 0, missed = 0;
    constexpr int trials = 4000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> same, faster;
      double speed = 1;
      for (size_t i = 0; i < pairs; ++i) {
        double first = speed * (1 + 0.05 * tail(random)),
               second = 1.1 * speed * (1 + 0.05 * tail(random));
        speed *= 1.01;
        bool swapped = random() % 2;
        double a = swapped ? second : first, b = swapped ? first : second;
        same.push_back(std::log(b / a));
        faster.push_back(std::log(b * 0.9 / a));
      }
      auto shift = shift_of(same, 0.95);
      alarms += shift->low > 0 || shift->high < 0;
      auto gain = shift_of(faster, 0.95);
      missed += gain->low > std::log(0.9) || gain->high < std::log(0.9);
    }
    EXPECT_LE(alarms, 0.05 * trials + 3 * 14) << pairs;
    EXPECT_LE(missed, 0.05 * trials + 3 * 14) << pairs;
  }
}

}  // namespace
}  // namespace pgokit::measure
