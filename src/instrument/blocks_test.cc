#include "instrument/blocks.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using testing::ElementsAre;

Module module_of(u32 kinds, u32 counters, std::vector<test::MapBlock> blocks) {
  for (u32 i = 0; i < blocks.size(); ++i) blocks[i].offset = i;
  test::MapBuilder map;
  map.function({.name = "f",
                .address = 0x1000,
                .kinds = kinds,
                .flags = MIP_MINIMAL_BLOCKS,
                .counters = counters,
                .blocks = std::move(blocks)});
  auto read = read_map_section(as_bytes(map.section()));
  EXPECT_TRUE(read) << read.error().message;
  return std::move(read->module);
}

std::vector<u64> executions(Module& module, std::vector<u64> counters) {
  module.data.executions = std::move(counters);
  auto counts = block_counts(module, module.functions[0]);
  EXPECT_EQ(counts.unsolved, 0);
  return counts.executions;
}

TEST(Blocks, LooksUpCounters) {
  auto module = module_of(MIP_BLOCKS64, 2, {{0, 1, {1}}, {0, 0, {}}});
  EXPECT_THAT(executions(module, {3, 4}), ElementsAre(4, 3));
}

// if (c) b1 else b2; b3
TEST(Blocks, SolvesADiamond) {
  auto module =
      module_of(MIP_BLOCKS64, 2,
                {{0, MIP_FROM_FLOW, {1, 2}}, {0, 0, {3}}, {0, 1, {3}}, {0, MIP_FROM_FLOW, {}}});
  EXPECT_THAT(executions(module, {30, 12}), ElementsAre(42, 30, 12, 42));
}

// Entry, loop body that repeats itself, exit: the body and the entry are counted.
TEST(Blocks, SolvesALoop) {
  auto module = module_of(MIP_BLOCKS64, 2, {{0, 0, {1}}, {0, 1, {1, 2}}, {0, MIP_FROM_FLOW, {}}});
  EXPECT_THAT(executions(module, {2, 100}), ElementsAre(2, 100, 2));
}

// A way out that the graph does not have makes sums wrong; counts stay above zero.
TEST(Blocks, TakesNothingForLessThanNothing) {
  auto module =
      module_of(MIP_BLOCKS64, 2,
                {{0, 0, {1, 2}}, {0, 1, {3}}, {0, MIP_FROM_FLOW, {3}}, {0, MIP_FROM_FLOW, {}}});
  EXPECT_THAT(executions(module, {5, 9}), ElementsAre(5, 9, 0, testing::_));
}

TEST(Blocks, CountsWhatCannotBeSolved) {
  auto module =
      module_of(MIP_BLOCKS64, 1,
                {{0, 0, {1, 2}}, {0, MIP_FROM_FLOW, {3}}, {0, MIP_FROM_FLOW, {3}}, {0, 0, {}}});
  module.data.executions = {5};
  EXPECT_EQ(block_counts(module, module.functions[0]).unsolved, 2);
}

TEST(Blocks, InfersCoverageFromNeighbours) {
  auto module = module_of(MIP_BLOCK_COVERAGE, 2,
                          {{0, MIP_FROM_SUCCESSORS, {1}},
                           {0, MIP_FROM_SUCCESSORS, {2, 3}},
                           {0, 0, {4}},
                           {0, 1, {5}},
                           {0, MIP_FROM_PREDECESSORS, {}},
                           {0, MIP_FROM_PREDECESSORS, {}}});
  module.data.block_ran = {0, 3};
  EXPECT_THAT(block_counts(module, module.functions[0]).ran, ElementsAre(3, 3, 0, 3, 0, 3));
}

TEST(Blocks, CallsAreThoseOfTheFirstBlock) {
  auto module = module_of(MIP_BLOCKS64, 1, {{0, MIP_FROM_FLOW, {1}}, {0, 0, {}}});
  module.data.executions = {8};
  complete_calls(module);
  EXPECT_THAT(module.data.calls, ElementsAre(8));
}

}  // namespace
}  // namespace pgokit::instrument
