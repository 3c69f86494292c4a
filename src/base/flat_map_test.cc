#include "base/flat_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pgokit {
namespace {

TEST(FlatMap, CountsLikeAMap) {
  std::mt19937_64 random(1);
  std::map<u64, u64> expected;
  FlatMap<u64> counts;
  for (int i = 0; i < 100'000; ++i) {
    u64 key = random() % (i % 2 ? 100 : 20'000);
    if (i % 3 == 0) counts.prefetch(key);
    ++counts[key];
    ++expected[key];
  }
  std::map<u64, u64> found;
  counts.for_each([&](u64 key, u64 count) { EXPECT_TRUE(found.emplace(key, count).second); });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(counts.size(), expected.size());
}

TEST(FlatMap, TellsNewKeys) {
  FlatMap<u32> ids;
  EXPECT_TRUE(ids.find_or_add(0, 5).second);
  EXPECT_TRUE(ids.find_or_add(~u64{0}, 6).second);
  auto [id, fresh] = ids.find_or_add(0, 7);
  EXPECT_FALSE(fresh);
  EXPECT_EQ(id, 5u);
  EXPECT_EQ(ids[~u64{0}], 6u);
}

}  // namespace
}  // namespace pgokit
