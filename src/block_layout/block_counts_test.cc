#include "block_layout/block_counts.h"

#include <gmock/gmock.h>

#include "test/support/mapped_program.h"

namespace pgokit::block_layout {
namespace {

using samples::external;
using testing::ElementsAre;
using testing::HasSubstr;

class BlockCountsTest : public testing::Test {
 protected:
  BlockCounts count(const samples::Counts& counts) const {
    auto result = count_blocks(program_, counts);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : BlockCounts();
  }
  static std::vector<u64> counts_of(const CountedFunction& function) {
    std::vector<u64> list;
    for (const auto& block : function.blocks) list.push_back(block.count);
    return list;
  }

  test::ScratchDir dir_;
  program::Program program_ = test::mapped_program(dir_);
};

TEST_F(BlockCountsTest, AreOfBlocksEdgesAndCalls) {
  auto counts = count({{{{0x401000}, {0x401002}, 3},   // test, je
                        {{0x401000}, {0x401007}, 7},   // test, je, add, call
                        {{0x401007}, {0x401007}, 3},   // call
                        {{0x40100c}, {0x40100c}, 10},  // ret
                        {{0x401010}, {0x401011}, 10}},
                       {{external, {0x401000}, 10},
                        {{0x401002}, {0x401007}, 3},
                        {{0x401007}, {0x401010}, 10},
                        {{0x40100c}, external, 10},
                        {{0x401011}, {0x40100c}, 10}}});
  EXPECT_EQ(counts.mapped_functions, 2u);
  ASSERT_EQ(counts.functions.size(), 2u);
  const auto& main = counts.functions[0];
  EXPECT_EQ(main.address, 0x401000u);
  EXPECT_THAT(counts_of(main), ElementsAre(10, 7, 10, 10));
  EXPECT_THAT(main.edges, ElementsAre(Edge{0, 1, 7}, Edge{0, 2, 3}, Edge{1, 2, 7}, Edge{2, 3, 10}));
  EXPECT_THAT(counts_of(counts.functions[1]), ElementsAre(10));
  ASSERT_EQ(counts.calls.size(), 1u);
  EXPECT_EQ(counts.calls[0].from, 0u);
  EXPECT_EQ(counts.calls[0].to, 1u);
  EXPECT_EQ(counts.calls[0].count, 10u);
}

TEST_F(BlockCountsTest, LeaveOutWhatDidNotRun) {
  auto counts = count({{{{0x401010}, {0x401011}, 5}}, {}});
  EXPECT_EQ(counts.mapped_functions, 2u);
  ASSERT_EQ(counts.functions.size(), 1u);
  EXPECT_EQ(counts.functions[0].address, 0x401010u);
  EXPECT_TRUE(count({}).functions.empty());
}

// Sampling saw where branches went, and not the code behind.
TEST_F(BlockCountsTest, ABlockRanAsOftenAsItsEdges) {
  auto counts = count({{{{0x401000}, {0x401002}, 1}}, {{{0x401002}, {0x401007}, 40}}});
  EXPECT_THAT(counts_of(counts.functions[0]), ElementsAre(40, 0, 40, 0));
}

TEST_F(BlockCountsTest, TakeCountsThatMakeNoSense) {
  constexpr u64 most = ~u64{0};
  auto counts = count({{{{0x400fff}, {0x401002}, 2},
                        {{0x401000}, {0x401002}, most},
                        {{0x401000}, {0x40100c}, most},
                        {{0x401002}, {most}, 9},
                        {{0x401011}, {0x401000}, 5},
                        {{most}, {most}, 5}},
                       {{{0x401000}, {0x401007}, most},
                        {{0x401002}, {0x401007}, most},
                        {{0x401005}, {0x401005}, 3},
                        {{0x401010}, {most}, 3},
                        {{most}, {0x40100c}, 3}}});
  EXPECT_EQ(counts.functions.size(), 2u);
  EXPECT_EQ(counts.functions[0].blocks[2].count, most);
}

TEST_F(BlockCountsTest, WantAMap) {
  auto bare = test::opened(dir_, test::tiny_program().image());
  auto result = count_blocks(bare, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("-fbasic-block-address-map"));
  auto damaged = test::opened(dir_, test::mapped_image(0x40));
  result = count_blocks(damaged, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("damaged"));
}

}  // namespace
}  // namespace pgokit::block_layout
