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
  EXPECT_EQ(percent(1, 3), "33.3%");
  EXPECT_EQ(percent(0, 0), "0%");
  EXPECT_EQ(percent(99999, 100000), ">99.9%");
  EXPECT_EQ(percent(5, 5), "100.0%");
}

TEST(Numbers, FileSize) {
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
