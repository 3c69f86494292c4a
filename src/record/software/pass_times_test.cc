#include "record/software/pass_times.h"

#include <gmock/gmock.h>

#include <vector>

namespace pgokit::record {
namespace {

double cycles(const std::vector<u32>& ends) { return cycles_at_first(ends); }

TEST(PassTimes, ThatOfTheFirstPassIsNone) {
  EXPECT_EQ(cycles({1000, 2000, 3000, 4000}), 1000);
  EXPECT_EQ(cycles({50'000, 51'000, 52'000, 53'000}), 1000);
}

TEST(PassTimes, AFaultIsNoneOfThem) {
  EXPECT_EQ(cycles({9000, 10000, 11100, 47000, 48000, 49100}),
            (1000 + 1100 + 3 * 1100 + 1000 + 1100) / 5.0);
}

TEST(PassTimes, TheClockMayBeginAgain) {
  EXPECT_EQ(cycles({1000, 2000, 700, 1700, 2700}), (3 * 1000 + 700) / 4.0);
}

TEST(PassTimes, WhatComesLaterDoesNotCount) {
  std::vector<u32> ends;
  for (u32 i = 1; i <= 33; ++i) ends.push_back(i * 1000);
  for (u32 i = 1; i <= 33; ++i) ends.push_back(33'000 + i * 9000);
  EXPECT_EQ(cycles(ends), 1000);
}

TEST(PassTimes, OfFewPassesNothingIsSaid) {
  EXPECT_EQ(cycles({}), 0);
  EXPECT_EQ(cycles({1000, 2000, 3000}), 0);
}

}  // namespace
}  // namespace pgokit::record
