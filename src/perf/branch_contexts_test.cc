#include "perf/branch_contexts.h"

#include <gtest/gtest.h>

#include <random>

#include "base/cursor.h"

namespace pgokit::perf {
namespace {

BranchCounts some_counts() {
  BranchCounts counts;
  counts.files = {{"/bin/app", {}}, {"/lib/a.so", {}}};
  counts.branches = {
      {{0, 0x1136}, {0, 0x1120}, 9}, {{0, 0x1140}, {1, 0x20}, 3}, {{1, 0x30}, {}, 1}};
  return counts;
}

BranchContexts some_contexts() {
  BranchContexts contexts;
  contexts.cut = 300;
  contexts.nodes = {{}, {0, {0, 0x1145}}, {1, {1, 0x35}}, {0, {}}};
  contexts.steps = {{0, 0, {0, 0x1120}, 7},
                    {0, 0, {0, 0x1130}, 1},
                    {0, 1, {}, 3},
                    {2, 0, {0, u64(1) << 63}, 1},
                    {2, 2, {1, 0x31}, u64(-1)}};
  contexts.rests = {{1, {1, 0x20}, {1, 0x28}, 2}, {3, {}, {0, 5}, 1}};
  return contexts;
}

TEST(BranchContexts, AreReadAsTheyWereWritten) {
  auto counts = some_counts();
  auto text = encode(some_contexts(), counts);
  auto read = decode_branch_contexts(as_bytes(text), counts);
  ASSERT_TRUE(read) << read.error().message;
  auto expected = some_contexts();
  EXPECT_EQ(read->cut, expected.cut);
  EXPECT_EQ(read->nodes, expected.nodes);
  EXPECT_EQ(read->steps, expected.steps);
  EXPECT_EQ(read->rests, expected.rests);
}

TEST(BranchContexts, DamagedOnesAreRefused) {
  auto counts = some_counts();
  auto text = encode(some_contexts(), counts);
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(decode_branch_contexts(as_bytes(text).first(size), counts)) << size;
  auto other = text;
  other[0] = 2;
  EXPECT_FALSE(decode_branch_contexts(as_bytes(other), counts));
}

TEST(BranchContexts, WhatTheySpeakOfHasToBeThere) {
  auto refuses = [](const BranchContexts& contexts, const BranchCounts& read_with) {
    auto text = encode(contexts, some_counts());
    return !decode_branch_contexts(as_bytes(text), read_with);
  };
  auto counts = some_counts();
  counts.branches.pop_back();
  EXPECT_TRUE(refuses(some_contexts(), counts)) << "a branch";
  counts = some_counts();
  counts.files.pop_back();
  EXPECT_TRUE(refuses(some_contexts(), counts)) << "a file";
  EXPECT_TRUE(refuses(some_contexts(), {})) << "everything";
  auto contexts = some_contexts();
  contexts.nodes[2].parent = 2;
  EXPECT_TRUE(refuses(contexts, some_counts())) << "an own parent";
  contexts.nodes[2].parent = 3;
  EXPECT_TRUE(refuses(contexts, some_counts())) << "a later parent";
}

TEST(BranchContexts, ContextsHaveBoundedDepth) {
  auto refused = [](u32 depth) {
    BranchContexts contexts;
    for (u32 i = 0; i < depth; ++i) contexts.nodes.push_back({i, {0, i}});
    auto text = encode(contexts, some_counts());
    return !decode_branch_contexts(as_bytes(text), some_counts());
  };
  EXPECT_FALSE(refused(BranchContexts::most_callers));
  EXPECT_TRUE(refused(BranchContexts::most_callers + 1));
}

TEST(BranchContexts, AnyBytesAreReadOrRefused) {
  std::mt19937 random(1);
  auto counts = some_counts();
  auto text = encode(some_contexts(), counts);
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = text;
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    auto read = decode_branch_contexts(as_bytes(damaged), counts);
    if (!read) continue;
    EXPECT_LE(read->steps.size() + read->nodes.size(), damaged.size());
    for (const auto& step : read->steps) EXPECT_LT(step.branch, counts.branches.size());
  }
}

}  // namespace
}  // namespace pgokit::perf
