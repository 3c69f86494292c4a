#include "record/software/pass_times.h"

#include <gmock/gmock.h>

#include <vector>

namespace pgokit::record {
namespace {

u64 cycles(const std::vector<u32>& ends) { return cycles_without_interruptions(ends); }

TEST(PassTimes, AFaultIsNoneOfThem) {
  EXPECT_EQ(cycles({1000, 2000, 3000, 4000}), 4000U);
  EXPECT_EQ(cycles({1000, 2100, 38000, 39000}), 1000U + 1100 + 3300 + 1000);
  EXPECT_EQ(cycles({50'000, 51'000, 52'000, 53'000, 54'000}), 3000U + 4 * 1000)
      << "nor is what the first one waits for";
}

TEST(PassTimes, TheClockMayBeginAgain) {
  EXPECT_EQ(cycles({1000, 2000, 700, 1700, 2700}), 2 * 1000U + 700 + 2 * 1000);
}

TEST(PassTimes, OfFewPassesNothingIsSaid) {
  EXPECT_EQ(cycles({}), 0U);
  EXPECT_EQ(cycles({1000, 2000, 3000}), 0U);
}

}  // namespace
}  // namespace pgokit::record
