#include "generate/context/context_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgokit::generate {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> read(const ContextRecords& records, u32 context) {
  std::vector<std::string> found;
  records.read(
      context,
      [&](u32 location, u64 count) { found.push_back(fmt::format("{}: {}", location, count)); },
      [&](u32 location, NameId callee, u64 count) {
        found.push_back(fmt::format("{} calls {}: {}", location, static_cast<u32>(callee), count));
      },
      [&](u32 list, u64 count) { found.push_back(fmt::format("list {}: {}", list, count)); });
  return found;
}

ContextRecords records_of(std::vector<ContextPool> pools, size_t contexts) {
  return ContextRecords(std::move(pools), contexts, 2);
}

TEST(ContextRecords, AreOfTheirContextWhateverPoolTheyCameIn) {
  std::vector<ContextPool> pools(2);
  pools[0].begin(3);
  pools[0].add_list(7, 2);
  pools[0].add_row(1, 10);
  pools[0].begin(1);
  pools[0].add_row(2, 20);
  pools[1].begin(3);
  pools[1].add_row(1, 30);
  pools[1].add_target(4, NameId{9}, 5);
  auto records = records_of(std::move(pools), 4);
  EXPECT_THAT(read(records, 3),
              UnorderedElementsAre("list 7: 2", "1: 10", "1: 30", "4 calls 9: 5"));
  EXPECT_THAT(read(records, 1), ElementsAre("2: 20"));
  EXPECT_TRUE(read(records, 0).empty());
  EXPECT_TRUE(read(records, 2).empty());
}

TEST(ContextRecords, ACallIsARowAndATarget) {
  std::vector<ContextPool> pools(1);
  pools[0].begin(0);
  pools[0].add_call(6, NameId{2}, u64{1} << 40);
  EXPECT_THAT(
      read(records_of(std::move(pools), 1), 0),
      ElementsAre(fmt::format("6: {}", u64{1} << 40), fmt::format("6 calls 2: {}", u64{1} << 40)));
}

TEST(ContextRecords, AnyLocationAndCountIsReadAsItWasWritten) {
  for (u32 location : {0u, 8191u, 8192u, (1u << 21) - 1, 1u << 21, ~0u})
    for (u64 count :
         {u64{0}, u64{0xff}, u64{0x100}, u64{0xffff}, u64{0x1'0000}, u64{0x1'0000'0000}, ~u64{0}}) {
      std::vector<ContextPool> pools(1);
      pools[0].begin(0);
      pools[0].add_row(location, count);
      pools[0].add_target(location, NameId{~0u}, count);
      pools[0].add_call(location, NameId{7}, count);
      pools[0].add_list(location, count);
      auto row = fmt::format("{}: {}", location, count);
      EXPECT_THAT(read(records_of(std::move(pools), 1), 0),
                  ElementsAre(row, fmt::format("{} calls 4294967295: {}", location, count), row,
                              fmt::format("{} calls 7: {}", location, count),
                              fmt::format("list {}: {}", location, count)));
    }
}

TEST(ContextRecords, ThereMayBeManyContexts) {
  constexpr u32 contexts = 40000;
  std::vector<ContextPool> pools(2);
  for (u32 context = contexts; context-- > 0;) {
    auto& pool = pools[context % 2];
    pool.begin(context);
    for (u32 row = 0; row < context % 3; ++row) pool.add_row(row, context);
  }
  auto records = records_of(std::move(pools), contexts);
  for (u32 context = 0; context < contexts; ++context) {
    std::vector<std::string> expected;
    for (u32 row = 0; row < context % 3; ++row)
      expected.push_back(fmt::format("{}: {}", row, context));
    ASSERT_EQ(read(records, context), expected);
  }
}

TEST(ContextRecords, PoolsMayHaveNumbersOfTheirOwn) {
  std::vector<ContextPool> pools(1);
  pools[0].begin(0);
  pools[0].add_row(1, 1);
  pools[0].renumber([](u32 context) { return context + 2; });
  EXPECT_THAT(read(records_of(std::move(pools), 3), 2), ElementsAre("1: 1"));
}

TEST(ContextRecords, NoneAreNone) { EXPECT_TRUE(read(records_of({}, 1), 0).empty()); }

}  // namespace
}  // namespace pgokit::generate
