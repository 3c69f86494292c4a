#include "base/sort_and_sum.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

namespace pgokit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Record {
  u32 id;
  u64 count;
  bool operator==(const Record&) const = default;
};

TEST(SortAndSum, LeavesEachKeyOnceInOrder) {
  std::vector<Record> records{{3, 1}, {1, 2}, {3, 4}, {2, 8}, {1, 16}, {3, 32}};
  sort_and_sum(records, &Record::id);
  EXPECT_THAT(records, ElementsAre(Record{1, 18}, Record{2, 8}, Record{3, 37}));
}

TEST(SortAndSum, CountsStopAtTheLargest) {
  std::vector<Record> records{{1, ~u64{0}}, {1, 1}};
  sort_and_sum(records, &Record::id);
  EXPECT_THAT(records, ElementsAre(Record{1, ~u64{0}}));
}

TEST(SortAndSum, LeavesWhatIsInFrontOfFirst) {
  std::vector<Record> records{{9, 1}, {9, 1}, {2, 1}, {1, 1}, {2, 1}};
  sort_and_sum(records, &Record::id, AddCounts{}, 2);
  EXPECT_THAT(records, ElementsAre(Record{9, 1}, Record{9, 1}, Record{1, 1}, Record{2, 2}));
}

TEST(SortAndSum, NothingStaysNothing) {
  std::vector<Record> records;
  sort_and_sum(records, &Record::id);
  EXPECT_THAT(records, IsEmpty());
}

TEST(SumEqual, AddsNeighboursOnly) {
  std::vector<Record> records{{2, 1}, {2, 2}, {1, 4}, {2, 8}};
  sum_equal(records, &Record::id);
  EXPECT_THAT(records, ElementsAre(Record{2, 3}, Record{1, 4}, Record{2, 8}));
}

TEST(SumEqual, MovesWhatCannotBeCopiedAndAddsAsAsked) {
  std::vector<std::pair<int, std::unique_ptr<std::string>>> records;
  for (int i = 0; i < 6; ++i)
    records.emplace_back(i / 3, std::make_unique<std::string>(std::to_string(i)));
  sum_equal(
      records, [](const auto& record) { return record.first; },
      [](auto& sum, const auto& record) { *sum.second += *record.second; });
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(*records[0].second, "012");
  EXPECT_EQ(*records[1].second, "345");
}

}  // namespace
}  // namespace pgokit
