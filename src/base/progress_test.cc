#include "base/progress.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(Pace, TellsRateAndTimeLeft) {
  EXPECT_EQ(pace(25'000'000, 100'000'000, 2), "12.5 MB/s, 0:06 left");
  EXPECT_EQ(pace(10, 6'000'000'010, 1), "0.0 MB/s, 10000000:00 left");
  EXPECT_EQ(pace(100, 90, 1), "0.0 MB/s, 0:00 left");
}

TEST(Pace, IsUnknownBeforeAnythingIsDone) {
  EXPECT_EQ(pace(0, 100, 1), "");
  EXPECT_EQ(pace(5, 100, 0), "");
}

TEST(Progress, SaysNothingInAPipe) {
  testing::internal::CaptureStderr();
  {
    Progress progress("reading", 100);
    progress.advance(50);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace pgokit
