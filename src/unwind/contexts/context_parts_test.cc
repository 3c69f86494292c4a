#include "unwind/contexts/context_parts.h"

#include <gmock/gmock.h>

namespace pgokit::unwind {
namespace {

using profile::ContextId;
using Node = profile::Contexts::Node;
using testing::ElementsAre;

constexpr NameId a{1}, b{2}, c{3}, d{4};

constexpr Node top(NameId function) { return {ContextId::none, {}, function}; }
constexpr Node child(u32 parent, u32 line, NameId function) {
  return {ContextId{parent}, {line, 0}, function};
}

// One entry with one range and no branch.
void add(ContextPart& part, u32 context, u64 count, u32 order = 0, bool inlined = false) {
  auto& entry = part.counts.begin(context);
  entry.order = order;
  entry.leaf_inlined = inlined;
  part.counts.columns.ranges.push_back({CodeIndex{0}, CodeIndex{2}, count});
  part.counts.end();
}

ContextCounts joined(std::vector<ContextPart> parts, unsigned threads) {
  for (auto& part : parts) sum_by_context(std::exchange(part.counts, {}), part.counts);
  return join(std::move(parts), threads);
}

TEST(ContextParts, AContextOfTwoPartsIsOne) {
  std::vector<ContextPart> parts(3);
  parts[0].nodes = {{}, top(a), child(1, 1, b)};
  add(parts[0], 2, 1, 5, false);
  parts[1].nodes = {{}, top(a), child(1, 1, b), child(2, 3, d), child(1, 2, c)};
  add(parts[1], 2, 3, 4, true);
  add(parts[1], 3, 1, 0, true);
  parts[2].nodes = {{}, top(d), top(a), child(2, 2, c), child(2, 1, b), child(4, 3, d)};
  add(parts[2], 5, 7, 9, false);
  add(parts[2], 3, 5);

  auto counts = joined(parts, 2);
  ASSERT_EQ(counts.contexts.end(), 6u);
  EXPECT_EQ(counts.contexts.node(ContextId{3}), child(2, 3, d));
  EXPECT_EQ(counts.contexts.node(ContextId{4}), child(1, 2, c));
  EXPECT_EQ(counts.contexts.node(ContextId{5}), top(d));
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts.context(0), ContextId{2});
  EXPECT_THAT(counts.ranges(0), ElementsAre(Range{CodeIndex{0}, CodeIndex{2}, 4}));
  EXPECT_TRUE(counts.leaf_inlined(0));  // says the sample that was first
  EXPECT_EQ(counts.ranges(1)[0].count, 8u);
  EXPECT_TRUE(counts.leaf_inlined(1));
  EXPECT_EQ(counts.context(2), ContextId{4});
  EXPECT_EQ(counts.ranges(2)[0].count, 5u);
}

TEST(ContextParts, OfPartsWithTheSameFirstSampleTheOwnerSaysWhetherTheLeafWasInlined) {
  for (bool inlined : {false, true}) {
    std::vector<ContextPart> parts(3);
    for (auto& part : parts) part.nodes = {{}, top(a)};
    add(parts[0], 1, 1, 0, inlined);
    add(parts[1], 1, 1, 0, !inlined);
    add(parts[2], 1, 1, 0, !inlined);
    auto counts = joined(std::move(parts), 2);
    ASSERT_EQ(counts.size(), 1u);
    EXPECT_EQ(counts.leaf_inlined(0), inlined);
    EXPECT_EQ(counts.ranges(0)[0].count, 3u);
  }
}

TEST(ContextParts, WhatBelongsToNoContextStandsFirst) {
  std::vector<ContextPart> parts(2);
  parts[0].nodes = {{}, top(a)};
  add(parts[0], 1, 1);
  parts[1].nodes = {{}, top(b)};
  add(parts[1], 1, 2);
  add(parts[1], 0, 3);
  auto counts = joined(parts, 1);
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts.context(0), ContextId::none);
  EXPECT_EQ(counts.ranges(0)[0].count, 3u);
}

TEST(ContextParts, NewContextsCanBeAskedForBehindThem) {
  std::vector<ContextPart> parts(1);
  parts[0].nodes = {{}, top(a), child(1, 1, b)};
  auto contexts = std::move(join(parts, 1).contexts);
  EXPECT_EQ(contexts.child(ContextId{1}, {1, 0}, b), ContextId{2});
  EXPECT_EQ(contexts.child(ContextId{1}, {1, 0}, c), ContextId{3});
}

}  // namespace
}  // namespace pgokit::unwind
