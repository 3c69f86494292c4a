#include "report/numbers.h"

#include <gtest/gtest.h>

namespace pgokit::report {
namespace {

TEST(Numbers, Grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(Numbers, PercentNeverRoundsUpToAll) {
  EXPECT_EQ(percent(1, 3), "33.3 %");
  EXPECT_EQ(percent(1, 3, 2), "33.33 %");
  EXPECT_EQ(percent(0, 0), "0.0 %");
  EXPECT_EQ(percent(99'999, 100'000), ">99.9 %");
  EXPECT_EQ(percent(9'999, 10'000, 2), "99.99 %");
  EXPECT_EQ(percent(999'999, 1'000'000, 2), ">99.99 %");
  EXPECT_EQ(percent(5, 5), "100.0 %");
}

TEST(Numbers, SharesAndChanges) {
  EXPECT_EQ(as_percent(0.1234), "12.3 %");
  EXPECT_EQ(percent_change(0.0512, 2), "+5.12 %");
  EXPECT_EQ(percent_change(-0.5), "-50.0 %");
}

TEST(Numbers, Fixed) {
  EXPECT_EQ(fixed(0.25, 2), "0.25");
  EXPECT_EQ(fixed(12510.5), "12,510.5");
  EXPECT_EQ(fixed(1234, 0), "1,234");
  EXPECT_EQ(fixed(-1234), "-1,234.0");
}

TEST(Numbers, FileSize) {
  EXPECT_EQ(file_size(1), "1 byte");
  EXPECT_EQ(file_size(12), "12 bytes");
  EXPECT_EQ(file_size(4100), "4.1 kB");
  EXPECT_EQ(file_size(4'100'000), "4.1 MB");
  EXPECT_EQ(file_size(12'300'000'000), "12.3 GB");
}

TEST(Numbers, NounsAgreeWithThem) {
  EXPECT_EQ(counted(1, "thread"), "1 thread");
  EXPECT_EQ(counted(0, "thread"), "0 threads");
  EXPECT_EQ(counted(1'200, "process", "processes"), "1,200 processes");
}

}  // namespace
}  // namespace pgokit::report
