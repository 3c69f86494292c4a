#include "profile/merge/decay.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/utc_date.h"

namespace pgokit::profile {
namespace {

TEST(DecayedWeight, HalvesWithEachHalfLife) {
  constexpr u64 week = 7 * seconds_of_day;
  u64 expected = full_weight;
  for (u64 weeks = 0; weeks <= 10; ++weeks, expected /= 2)
    EXPECT_EQ(decayed_weight(weeks * week, week), expected) << weeks;
  EXPECT_EQ(decayed_weight(11 * week, week), 0);
  EXPECT_EQ(decayed_weight(latest_date, 1), 0);
  EXPECT_EQ(decayed_weight(latest_date, latest_date), full_weight / 2);
}

TEST(DecayedWeight, IsTheNearestWholeNumber) {
  for (u64 half_life : {u64{1}, u64{86400}, u64{604800}, u64{31557600}, latest_date})
    for (u64 step = 0; step < 600; ++step) {
      u64 age = half_life / 50 * step + step;
      auto exact = 1024 * std::exp2(-static_cast<double>(age) / static_cast<double>(half_life));
      if (age / half_life >= 11) exact = 0;
      EXPECT_NEAR(static_cast<double>(decayed_weight(age, half_life)), exact, 0.52);
    }
}

TEST(DecayedWeight, NeverGrowsWithAge) {
  u64 last = full_weight;
  for (u64 age = 0; age < 12 * seconds_of_day; age += 61) {
    u64 weight = decayed_weight(age, seconds_of_day);
    EXPECT_LE(weight, last);
    last = weight;
  }
}

}  // namespace
}  // namespace pgokit::profile
