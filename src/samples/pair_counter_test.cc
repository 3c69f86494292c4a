#include "samples/pair_counter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pgokit::samples {
namespace {

std::map<u64, u64> sums(const PairCounter& counter) {
  std::map<u64, u64> sums;
  counter.for_each([&](u64 pair, u64 count) { sums[pair] += count; });
  return sums;
}

TEST(PairCounter, CountsLikeAMap) {
  std::mt19937_64 random(1);
  std::map<u64, u64> expected;
  PairCounter counter;
  for (int i = 0; i < 100'000; ++i) {
    u64 pair = random() % (i % 2 ? 100 : 20'000), weight = random() % 3;
    counter.add(pair, weight);
    expected[pair] += weight;
  }
  EXPECT_EQ(sums(counter), expected);
}

TEST(PairCounter, KeepsPairsWithoutWeight) {
  PairCounter counter;
  counter.add(0, 0);
  counter.add(7, 0);
  EXPECT_EQ(sums(counter), (std::map<u64, u64>{{0, 0}, {7, 0}}));
}

TEST(PairCounter, MergedPairsComeOnce) {
  PairCounter one, other, both;
  one.add(3, 1);
  for (u64 pair = 0; pair < 10'000; ++pair) other.add(pair, 2);
  other.add(3, 5);
  both.merge(one);
  both.merge(other);
  size_t times = 0;
  both.for_each([&](u64 pair, u64 count) {
    if (pair != 3) return;
    ++times;
    EXPECT_EQ(count, 8u);
  });
  EXPECT_EQ(times, 1u);
}

}  // namespace
}  // namespace pgokit::samples
