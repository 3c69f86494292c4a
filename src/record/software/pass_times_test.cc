#include "record/software/pass_times.h"

#include <gmock/gmock.h>

#include <vector>

namespace pgokit::record {
namespace {

double cycles(const std::vector<u32>& ends) { return cycles_of_pass(ends); }

TEST(PassTimes, TheFirstHalfIsCold) {
  EXPECT_EQ(cycles({1000, 2000, 3000, 4000}), 1000);
  EXPECT_EQ(cycles({50'000, 70'000, 80'000, 81'000, 82'000}), 1000);
}

TEST(PassTimes, AFaultIsNoneOfThem) {
  EXPECT_EQ(cycles({9000, 29000, 34000, 39000, 40000, 41100, 48100}),
            (1000 + 1100 + 2 * 1100) / 3.0);
}

TEST(PassTimes, TheClockMayBeginAgain) {
  EXPECT_EQ(cycles({1000, 2000, 3000, 700, 1700}), (700 + 1000) / 2.0);
}

TEST(PassTimes, OfManyThoseBehindTheColdOnesCount) {
  std::vector<u32> ends{5000};
  for (u32 i = 0; i < 32; ++i) ends.push_back(ends.back() + 3000);
  for (u32 i = 0; i < 32; ++i) ends.push_back(ends.back() + 1000);
  for (u32 i = 0; i < 64; ++i) ends.push_back(ends.back() + 9000);
  EXPECT_EQ(cycles(ends), 1000);
}

TEST(PassTimes, OfFewPassesNothingIsSaid) {
  EXPECT_EQ(cycles({}), 0);
  EXPECT_EQ(cycles({1000, 2000, 3000}), 0);
}

}  // namespace
}  // namespace pgokit::record
