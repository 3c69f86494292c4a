#include "instrument/facts.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using testing::ElementsAre;

Module example() {
  test::MapBuilder map;
  map.function({.name = "a", .address = 0x100, .size = 10, .kinds = MIP_CALLS64 | MIP_ORDER});
  map.function({.name = "b",
                .address = 0x200,
                .size = 30,
                .kinds = MIP_BLOCKS64 | MIP_ORDER,
                .counters = 2,
                .blocks = {{0, 0, {1}}, {4, 1, {}}}});
  map.function({.name = "c", .address = 0x300, .size = 5, .kinds = MIP_COVERAGE});
  map.function({.name = "d", .address = 0x400, .size = 50, .kinds = MIP_COVERAGE});
  auto read = read_map_section(as_bytes(map.section()));
  EXPECT_TRUE(read) << read.error().message;
  auto& data = read->module.data;
  data.dumps = 2;
  data.ran = {2, 1, 0, 0};
  data.calls = {7, 3, 0, 0};
  data.first[0] = {2, 5, 10};
  data.first[1] = {1, 2, 4};
  data.executions = {3, 0};
  return std::move(read->module);
}

TEST(Facts, SumUpWhatRan) {
  auto facts = facts_of(example());
  EXPECT_EQ(facts.ran, 2);
  EXPECT_EQ(facts.calls, 10);
  EXPECT_EQ(facts.work, 10);
  EXPECT_EQ(facts.blocks, 2);
  EXPECT_EQ(facts.blocks_ran, 1);
  EXPECT_EQ(facts.code, 95);
  EXPECT_EQ(facts.code_ran, 40);
}

TEST(Facts, OrderFunctions) {
  auto module = example();
  EXPECT_THAT(by_work(facts_of(module)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(by_first_run(module), ElementsAre(1, 0));
  EXPECT_THAT(never_ran(module), ElementsAre(3, 2));
  EXPECT_EQ(mean_rank(module.data.first[0]), 2.5);
  EXPECT_EQ(mean_rank(module.data.first[2]), std::nullopt);
}

TEST(Facts, NamesOfKinds) {
  EXPECT_EQ(kind_names(MIP_CALLS32 | MIP_ORDER), "call counts, order of first runs");
  EXPECT_EQ(kind_names(MIP_CALLS32 | MIP_CALLS64), "call counts");
}

}  // namespace
}  // namespace pgokit::instrument
