#include "perf/windows.h"

#include <gtest/gtest.h>

namespace pgokit::perf {
namespace {

TEST(Windows, KeepTheirLikeness) {
  for (double likeness : {0.5, 0.85, 0.93, 0.999})
    EXPECT_NEAR(Windows::of(100, likeness).likeness().value(), likeness, 1e-3);
  EXPECT_NEAR(Windows::of(100, 1).likeness().value(), 1, 1e-3);
  EXPECT_FALSE(Windows::of(0, 0.9).likeness());
  EXPECT_FALSE(Windows{.number = 100}.likeness());
  EXPECT_EQ((Windows{.number = 1, .uncertainty = u64(-1)}.likeness()), 0);
}

TEST(Windows, AreThinIfTheyAreFewOrUnlike) {
  EXPECT_TRUE(Windows::of(19, 0.99).is_thin());
  EXPECT_FALSE(Windows::of(20, 0.9).is_thin());
  EXPECT_TRUE(Windows::of(1000, 0.84).is_thin());
  // As older recordings have them.
  EXPECT_TRUE(Windows{.number = 19}.is_thin());
  EXPECT_FALSE(Windows{.number = 20}.is_thin());
  EXPECT_FALSE(Windows{}.is_thin());
}

TEST(Windows, OfSeveralRecordingsAreWrongInLess) {
  auto four = Windows::of(100, 0.8);
  for (int n = 0; n < 3; ++n) four.add(Windows::of(100, 0.8));
  EXPECT_EQ(four.number, 400U);
  EXPECT_NEAR(four.likeness().value(), 0.9, 1e-3);
  // The same ones twice tell nothing new.
  Windows twice;
  twice.add(Windows::of(100, 0.8), 2);
  EXPECT_EQ(twice.number, 200U);
  EXPECT_NEAR(twice.likeness().value(), 0.8, 1e-3);
}

TEST(Windows, AddUpInAnyOrderAndGrouping) {
  const Windows list[] = {Windows::of(7, 0.6), Windows::of(1000, 0.97), {.number = 3}, {}};
  for (const auto& a : list)
    for (const auto& b : list)
      for (const auto& c : list) {
        Windows left = a, right = b, other = b;
        left.add(b), left.add(c);
        right.add(c), right.add(a);
        other.add(a), other.add(c);
        EXPECT_EQ(left, right);
        EXPECT_EQ(left, other);
      }
}

TEST(Windows, TellLessOfAProgramThatMadeFewOfTheirBranches) {
  auto all = Windows::of(400, 0.95);
  EXPECT_EQ(all.of_program(1), all);
  EXPECT_EQ(all.of_program(0.25).number, 100U);
  EXPECT_NEAR(all.of_program(0.25).likeness().value(), 0.90, 1e-3);
  EXPECT_FALSE(all.of_program(0.25).is_thin());
  EXPECT_TRUE(all.of_program(0.04).is_thin());
  EXPECT_TRUE(all.of_program(0).is_thin());
  EXPECT_FALSE(Windows{.number = 40}.of_program(0.5).likeness());
  EXPECT_EQ(Windows().of_program(0.5), Windows());
}

TEST(Windows, NeverOverflow) {
  auto most = Windows::of(u64(-1), 0);
  most.add(most, u64(-1));
  EXPECT_EQ(most.number, u64(-1));
  EXPECT_TRUE(most.likeness());
}

}  // namespace
}  // namespace pgokit::perf
