#include "record/software/budget.h"

#include <gtest/gtest.h>

#include <utility>

namespace pgokit::record {
namespace {

// What is spent while the program runs for so long.
double spent(Budget& budget, u64 run_ns, u64 cost_ns) {
  double sum = 0;
  for (u64 at = 0; at < run_ns; at += budget.period_ns()) {
    budget.earn(budget.period_ns());
    if (budget.allows()) budget.spend(cost_ns), sum += static_cast<double>(cost_ns);
  }
  return sum;
}

TEST(Budget, SpendsItsShare) {
  for (double share : {0.01, 0.1, 0.5})
    for (u64 cost_ns : {200'000, 500'000, 700'000, 5'000'000}) {
      Budget budget(share);
      spent(budget, 10'000'000'000, cost_ns);  // it finds out what windows cost
      EXPECT_NEAR(spent(budget, 100'000'000'000, cost_ns), share * 1e11, 0.31 * share * 1e11)
          << cost_ns;
    }
}

TEST(Budget, FollowsWhatWindowsCost) {
  Budget budget(0.1);
  u64 first = budget.period_ns();
  for (int i = 0; i < 200; ++i) budget.spend(2'000'000);
  EXPECT_GT(budget.period_ns(), 3 * first);
  for (int i = 0; i < 400; ++i) budget.spend(100'000);
  EXPECT_LT(budget.period_ns(), first / 2);
}

// However dear one was: what follows is not late for ever.
TEST(Budget, ADearWindowIsADebt) {
  Budget budget(0.1);
  budget.spend(55'000'000);
  EXPECT_FALSE(budget.allows());
  budget.earn(90'000'000);
  EXPECT_FALSE(budget.allows());
  budget.earn(20'000'000);
  EXPECT_TRUE(budget.allows());
}

// After the first windows of a program there are some all the time, if fewer.
TEST(Budget, ADebtIsPaidBackBitByBit) {
  constexpr u64 cost_ns = 500'000, run_ns = 4'000'000'000;
  Budget budget(0.1);
  budget.earn(500'000'000);
  budget.spend(100'000'000);
  EXPECT_TRUE(budget.allows());
  budget.spend(cost_ns);
  double share = spent(budget, run_ns, cost_ns) / run_ns;
  EXPECT_GT(share, 0.05);
  EXPECT_LT(share, 0.1);
}

// The machine stood still meanwhile.
TEST(Budget, NoWindowIsTheLastOne) {
  Budget budget(0.1);
  u64 period = budget.period_ns();
  budget.spend(3'600'000'000'000);
  EXPECT_FALSE(budget.allows());
  EXPECT_LT(budget.period_ns(), 2 * period);
  budget.earn(410'000'000);
  EXPECT_TRUE(budget.allows());
}

// A quarter of the budget, and four times as much as there is.
TEST(Budget, FollowingIsPartOfIt) {
  constexpr double share = 0.12;
  for (auto [followed, left] : {std::pair{0.03, 0.09}, {0.48, 0.08}}) {
    Budget budget(share);
    constexpr u64 run_ns = 20'000'000'000, cost_ns = 500'000;
    double sum = 0;
    for (u64 at = 0; at < run_ns; at += budget.period_ns()) {
      u64 period = budget.period_ns();
      budget.follow(static_cast<u64>(followed * static_cast<double>(period)));
      budget.earn(period);
      if (budget.allows()) budget.spend(cost_ns), sum += cost_ns;
    }
    EXPECT_NEAR(sum / run_ns, left, 0.31 * left) << followed;
  }
}

TEST(Budget, AFixedOneAsksForNothing) {
  auto budget = Budget::fixed(20'000'000);
  u64 period = budget.period_ns();
  for (int i = 0; i < 100; ++i) budget.spend(1'000'000'000);
  EXPECT_TRUE(budget.allows());
  EXPECT_EQ(budget.period_ns(), period);
  EXPECT_GT(period, 20'000'000U);
}

}  // namespace
}  // namespace pgokit::record
