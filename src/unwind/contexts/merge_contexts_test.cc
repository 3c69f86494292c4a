#include "unwind/contexts/merge_contexts.h"

#include <gtest/gtest.h>

namespace pgokit::unwind {
namespace {

TEST(MergeContexts, AddsUpCallChainsThatBothHave) {
  ContextCounts a(ContextCounts::Kind::probes), b(ContextCounts::Kind::probes);
  auto in_a = a.paths.child(CallPath::empty, CodeIndex(7));
  a.begin(in_a);
  a.add_range({CodeIndex(1), CodeIndex(3), 10});
  a.normalize();
  // The same chain has another number in b.
  auto other = b.paths.child(CallPath::empty, CodeIndex(9));
  auto in_b = b.paths.child(CallPath::empty, CodeIndex(7));
  b.begin(in_b);
  b.add_range({CodeIndex(1), CodeIndex(3), 5});
  b.add_branch({CodeIndex(3), CodeIndex(1), 2});
  b.begin(b.paths.child(other, CodeIndex(7)));
  b.add_range({CodeIndex(4), CodeIndex(5), 1});
  b.normalize();

  merge(a, b);
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a.path(0), in_a);
  EXPECT_EQ(a.ranges(0).size(), 1u);
  EXPECT_EQ(a.ranges(0)[0], (Range{CodeIndex(1), CodeIndex(3), 15}));
  EXPECT_EQ(a.branches(0)[0], (Branch{CodeIndex(3), CodeIndex(1), 2}));
  EXPECT_EQ(a.paths.calls(a.path(1)), (std::vector{CodeIndex(9), CodeIndex(7)}));
}

TEST(MergeContexts, AddsUpFramesThatBothHave) {
  auto make = [](const std::vector<const char*>& names, bool inlined, u64 count) {
    ContextCounts counts(ContextCounts::Kind::lines);
    auto context = profile::ContextId::none;
    for (const char* name : names)
      context = counts.contexts.child(context, {3, 1}, counts.names.intern(name));
    counts.begin(context, inlined);
    counts.add_range({CodeIndex(1), CodeIndex(2), count});
    counts.normalize();
    return counts;
  };
  auto a = make({"main", "foo"}, true, 1);
  merge(a, make({"main", "foo"}, false, 4));
  merge(a, make({"bar"}, true, 9));
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a.contexts.text(a.context(0), a.names), "main:3.1 @ foo");
  EXPECT_TRUE(a.leaf_inlined(0));
  EXPECT_EQ(a.ranges(0)[0].count, 5u);
  EXPECT_EQ(a.contexts.text(a.context(1), a.names), "bar");
}

}  // namespace
}  // namespace pgokit::unwind
