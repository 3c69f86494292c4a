#include "perf/branch_counts.h"

#include <gmock/gmock.h>

#include <random>

#include "base/cursor.h"

namespace pgokit::perf {
namespace {

BranchCounts some_counts() {
  static const std::string id = "0123456789abcdef0123";
  BranchCounts counts;
  counts.scale = 512;
  counts.windows = Windows::of(3, 0.9);
  counts.files = {{"/bin/app", as_bytes(id)}, {"/lib/a library.so", {}}};
  counts.branches = {{{0, 0x1136}, {0, 0x1120}, 7},
                     {{0, 0x1140}, {1, 0x20}, u64(-1)},
                     {{1, 0x30}, {}, 1},
                     {{}, {0, u64(1) << 63}, 300}};
  counts.begun = {{{0, 0x1120}, 2}, {{1, 0x40}, 1}};
  counts.ended = {{{}, 3}};
  return counts;
}

TEST(BranchCounts, AreReadAsTheyWereWritten) {
  auto text = encode(some_counts());
  auto read = decode_branch_counts(as_bytes(text));
  ASSERT_TRUE(read) << read.error().message;
  auto expected = some_counts();
  EXPECT_EQ(read->scale, expected.scale);
  EXPECT_EQ(read->windows, expected.windows);
  ASSERT_EQ(read->files.size(), 2U);
  EXPECT_EQ(read->files[1].path, "/lib/a library.so");
  EXPECT_EQ(as_text(read->files[0].build_id), as_text(expected.files[0].build_id));
  EXPECT_EQ(read->branches, expected.branches);
  EXPECT_EQ(read->begun, expected.begun);
  EXPECT_EQ(read->ended, expected.ended);
}

TEST(BranchCounts, DamagedOnesAreRefused) {
  auto text = encode(some_counts());
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(decode_branch_counts(as_bytes(text).first(size))) << size;
  auto other = text;
  for (int version : {0, 4}) {
    other[0] = static_cast<char>(version);
    EXPECT_FALSE(decode_branch_counts(as_bytes(other))) << version;
  }
}

TEST(BranchCounts, TellWhetherTheyAreOfAWholeRun) {
  auto counts = some_counts();
  EXPECT_FALSE(counts.of_all());
  counts.windows = {};
  EXPECT_TRUE(counts.of_whole_run());
  counts.part_of_run = true;
  auto text = encode(counts);
  auto read = decode_branch_counts(as_bytes(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->of_all());
  EXPECT_FALSE(read->of_whole_run());
  EXPECT_EQ(read->branches, counts.branches);
}

// As they were written before the uncertainty was.
TEST(BranchCounts, OlderOnesAreRead) {
  const u8 first[] = {1, 128, 4, 30, 1, 1, 'a', 0, 1, 1, 4, 1, 2, 7, 0, 0};
  auto read = decode_branch_counts(first);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->scale, 512U);
  EXPECT_EQ(read->windows, Windows{.number = 30});
  EXPECT_THAT(read->branches, testing::ElementsAre(BranchCounts::Branch{{0, 2}, {0, 1}, 7}));
}

TEST(BranchCounts, AWholeRunTellsHowOftenGeneratedCodeWasMet) {
  BranchCounts counts{.files = {{"a", {}}},
                      .branches = {{{0, 1}, {0, 2}, 7}, {{0, 8}, {}, 3}},
                      .begun = {},
                      .ended = {{{0, 9}, 2}, {{}, 3}}};
  EXPECT_EQ(counts.uncounted_stretches(), 3U);
  counts.windows = Windows::of(30, 0.9);
  EXPECT_EQ(counts.uncounted_stretches(), 0U);
}

TEST(BranchCounts, AnyBytesAreReadOrRefused) {
  std::mt19937 random(1);
  auto text = encode(some_counts());
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = text;
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    auto read = decode_branch_counts(as_bytes(damaged));
    if (!read) continue;
    EXPECT_LE(read->branches.size(), damaged.size());
    for (const auto& branch : read->branches)
      EXPECT_TRUE(branch.to.file < read->files.size() ||
                  branch.to.file == BranchCounts::Place::nowhere);
  }
}

}  // namespace
}  // namespace pgokit::perf
