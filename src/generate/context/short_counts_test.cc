#include "generate/context/short_counts.h"

#include <gtest/gtest.h>

namespace pgokit::generate {
namespace {

TEST(ShortCounts, HoldAnyCount) {
  ShortCounts counts;
  for (u64 value : {u64{0}, u64{0x7fff'ffff}, u64{0x8000'0000}, u64{0xffff'ffff}, ~u64{0}}) {
    ShortCount count{};
    counts.set(count, value);
    EXPECT_EQ(counts.get(count), value);
  }
}

TEST(ShortCounts, ALargeOneStaysWhereItIs) {
  ShortCounts counts;
  ShortCount one{}, other{};
  counts.add(one, u64{1} << 40);
  counts.add(other, u64{1} << 50);
  counts.add(one, 2);
  EXPECT_EQ(counts.get(one), (u64{1} << 40) + 2);
  counts.set(one, 5);
  EXPECT_EQ(counts.get(one), 5u);
  EXPECT_EQ(counts.get(other), u64{1} << 50);
}

TEST(ShortCounts, SumsStopAtTheLargestValue) {
  ShortCounts counts;
  ShortCount count{};
  counts.add(count, 7);
  counts.add(count, ~u64{0});
  counts.add(count, 7);
  EXPECT_EQ(counts.get(count), ~u64{0});
}

}  // namespace
}  // namespace pgokit::generate
