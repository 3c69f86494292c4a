#include "block_layout/layout.h"

#include <gmock/gmock.h>

#include "block_layout/cluster_profile.h"
#include "block_map/block_map.h"
#include "test/support/mapped_program.h"

namespace pgokit::block_layout {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CountedBlock block(u32 id, u64 count, u8 flags = 0) {
  return {.id = id, .size = 10, .flags = flags, .count = count};
}

TEST(Layout, PutsHotBlocksBehindTheEntryAndLeavesOutColdOnes) {
  BlockCounts counts;
  counts.functions.push_back({.address = 0x1000,
                              .blocks = {block(0, 100), block(5, 0), block(2, 10), block(3, 90)},
                              .edges = {{0, 2, 10}, {0, 3, 90}, {2, 3, 10}}});
  auto layout = lay_out(counts, {}, 1);
  ASSERT_EQ(layout.functions.size(), 1u);
  EXPECT_THAT(layout.functions[0].hot, ElementsAre(0, 3, 2));
  EXPECT_EQ(layout.hot_blocks, 3u);
  EXPECT_EQ(layout.blocks, 4u);
  EXPECT_GT(layout.score, layout.score_before);
}

TEST(Layout, KeepsTheEntryWhereSamplingMissedIt) {
  BlockCounts counts;
  counts.functions.push_back({.blocks = {block(0, 0), block(1, 50), block(2, 0)}, .edges = {}});
  EXPECT_THAT(lay_out(counts, {}, 1).functions[0].hot, ElementsAre(0, 1));
}

TEST(Layout, KeepsLandingPadsTogether) {
  constexpr u8 pad = block_map::Block::landing_pad;
  BlockCounts counts;
  counts.functions.push_back(
      {.blocks = {block(0, 9), block(1, 0, pad), block(2, 3, pad), block(3, 0)}});
  counts.functions.push_back({.blocks = {block(0, 9), block(1, 0, pad), block(2, 0, pad)}});
  auto layout = lay_out(counts, {}, 2);
  for (const auto& function : layout.functions) {
    if (function.function == 0)
      EXPECT_THAT(function.hot, ElementsAre(0, 2, 1));
    else
      EXPECT_THAT(function.hot, ElementsAre(0));
  }
}

TEST(Layout, NamesEachBlockOnce) {
  BlockCounts counts;
  counts.functions.push_back({.blocks = {block(0, 9), block(1, 5), block(1, 4)}});
  EXPECT_THAT(lay_out(counts, {}, 1).functions[0].hot, ElementsAre(0, 1));
}

TEST(Layout, PutsCalleesNearTheirCallers) {
  BlockCounts counts;
  for (u64 count : {100, 1, 100, 1}) counts.functions.push_back({.blocks = {block(0, count)}});
  counts.calls = {{0, 2, 100}, {1, 3, 1}};
  std::vector<u32> order;
  for (const auto& function : lay_out(counts, {}, 1).functions) order.push_back(function.function);
  EXPECT_THAT(order, ElementsAre(0, 2, 1, 3));
}

// A loop that calls another function much, and code after it that nothing falls into.
TEST(Layout, OrdersPartsOfFunctionsAmongThoseOfOthers) {
  BlockCounts counts;
  counts.functions.push_back(
      {.blocks = {block(0, 1), block(1, 900), block(2, 1)}, .edges = {{0, 2, 1}, {1, 1, 900}}});
  counts.functions.push_back({.blocks = {block(0, 900)}});
  counts.calls = {{.from = 0, .to = 1, .count = 900, .block = 1}};
  auto layout = lay_out(counts, {.inter_procedural = true}, 1);
  ASSERT_EQ(layout.functions.size(), 2u);
  const auto& first = layout.functions[layout.functions[0].function == 0 ? 0 : 1];
  EXPECT_THAT(first.hot, testing::UnorderedElementsAre(0, 1, 2));
  ASSERT_EQ(first.parts.size(), 2u);
  ASSERT_EQ(layout.order.size(), 3u);
  // The loop and its callee are neighbours, the entry is not between them.
  bool entry_last =
      layout.order[2].part == 0 && layout.functions[layout.order[2].function].function == 0;
  bool entry_first =
      layout.order[0].part == 0 && layout.functions[layout.order[0].function].function == 0;
  EXPECT_TRUE(entry_first || entry_last);
  auto whole = lay_out(counts, {}, 1);
  EXPECT_EQ(whole.order.size(), 2u);
}

TEST(Layout, KeepsLandingPadsInOnePart) {
  constexpr u8 pad = block_map::Block::landing_pad;
  BlockCounts counts;
  counts.functions.push_back(
      {.blocks = {block(0, 9), block(1, 5, pad), block(2, 3, pad), block(3, 2)}});
  auto layout = lay_out(counts, {.inter_procedural = true}, 1);
  const auto& function = layout.functions[0];
  auto part_of = [&](u32 b) {
    auto at = std::ranges::find(function.hot, b) - function.hot.begin();
    return std::ranges::upper_bound(function.parts, static_cast<u32>(at)) - function.parts.begin();
  };
  EXPECT_EQ(part_of(1), part_of(2));
  EXPECT_EQ(function.parts.size(), 3u);
}

class Clusters : public testing::Test {
 protected:
  ClusterProfile write(const program::Program& program, const samples::Counts& counts) const {
    auto blocks = count_blocks(program, counts);
    EXPECT_TRUE(blocks);
    return write_clusters(program, *blocks, lay_out(*blocks, {}, 1), {});
  }
  static constexpr BinaryAddr main_{0x401000}, leaf_{0x401010};
  samples::Counts counts_{{{main_, {0x401007}, 7}, {leaf_, {0x401011}, 7}},
                          {{{0x401007}, leaf_, 7}}};
  test::ScratchDir dir_;
};

TEST_F(Clusters, AreTheTwoFiles) {
  auto written = write(test::mapped_program(dir_), counts_);
  EXPECT_EQ(written.clusters, "v1\nf main\nc0 1 2\nf leaf\nc0\n");
  EXPECT_EQ(written.symbol_order, "main\nleaf\nmain.cold\n");
  EXPECT_EQ(written.functions, 2u);
}

TEST_F(Clusters, HaveAllNamesOfAFunction) {
  auto image = test::mapped_builder().symbol("also", 0x401010, 2, 1).image();
  auto written = write(test::opened(dir_, image), counts_);
  EXPECT_EQ(written.clusters, "v1\nf main\nc0 1 2\nf leaf also\nc0\n");
}

TEST_F(Clusters, LeaveOutWhatCannotBeNamed) {
  auto image = test::mapped_builder().symbol("leaf", 0x401004, 2, 1).image();
  auto written = write(test::opened(dir_, image), counts_);
  EXPECT_EQ(written.clusters, "v1\nf main\nc0 1 2\n");
  EXPECT_EQ(written.symbol_order, "main\nmain.cold\n");
  EXPECT_EQ(written.ambiguous, 1u);
}

TEST_F(Clusters, HaveNoNamesThatEndAWord) {
  auto image = test::mapped_image();
  for (size_t at; (at = image.find("leaf")) != image.npos;) image.replace(at, 4, "l\nc1");
  auto written = write(test::opened(dir_, image), counts_);
  EXPECT_EQ(written.clusters, "v1\nf main\nc0 1 2\n");
  EXPECT_EQ(written.nameless, 1u);
}

}  // namespace
}  // namespace pgokit::block_layout
