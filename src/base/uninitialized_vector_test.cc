#include "base/uninitialized_vector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/types.h"

namespace pgokit {
namespace {

using testing::ElementsAre;

struct Entry {
  u32 first = 7;
  u64 second = 8;
  bool operator==(const Entry&) const = default;
};

TEST(UninitializedVector, IsFilledByWhoeverUsesIt) {
  UninitializedVector<u32> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0u);
  numbers.resize(2000);
  std::iota(numbers.begin() + 1000, numbers.end(), 1000u);
  for (u32 i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
}

TEST(UninitializedVector, HasWhatIsPutIntoIt) {
  UninitializedVector<Entry> entries;
  entries.push_back({1, 2});
  entries.push_back({});
  entries.emplace_back(Entry{.first = 3});
  auto copy = entries;
  entries.resize(1);
  EXPECT_THAT(entries, ElementsAre(Entry{1, 2}));
  EXPECT_THAT(copy, ElementsAre(Entry{1, 2}, Entry{7, 8}, Entry{3, 8}));
}

}  // namespace
}  // namespace pgokit
