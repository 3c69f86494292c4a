#include "unwind/context_counts.h"

#include <gmock/gmock.h>

namespace pgokit::unwind {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CodeIndex at(u32 index) { return CodeIndex{index}; }

TEST(CallPaths, EqualChainsAreOnePath) {
  CallPaths paths;
  CallPath outer = paths.child(CallPath::empty, at(10));
  CallPath inner = paths.child(outer, at(20));
  EXPECT_EQ(paths.child(paths.child(CallPath::empty, at(10)), at(20)), inner);
  EXPECT_NE(paths.child(CallPath::empty, at(20)), inner);
  EXPECT_EQ(paths.parent(inner), outer);
  EXPECT_THAT(paths.calls(inner), ElementsAre(at(10), at(20)));
  EXPECT_THAT(paths.calls(CallPath::empty), IsEmpty());
  EXPECT_LT(outer, inner);
}

TEST(ContextCounts, NormalizeSortsAndSums) {
  ContextCounts counts(ContextCounts::Kind::probes);
  CallPath a = counts.paths.child(CallPath::empty, at(1));
  CallPath b = counts.paths.child(CallPath::empty, at(2));
  counts.begin(b);
  counts.add_range({at(30), at(40), 1});
  counts.begin(a);
  counts.add_branch({program::no_code, at(5), 1});
  counts.add_branch({at(7), at(5), 2});
  counts.begin(b);
  counts.add_range({at(30), at(40), 2});
  counts.add_range({at(30), at(35), 4});
  counts.normalize();

  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.path(0), a);
  EXPECT_THAT(counts.ranges(0), IsEmpty());
  EXPECT_THAT(counts.branches(0),
              ElementsAre(Branch{at(7), at(5), 2}, Branch{program::no_code, at(5), 1}));
  EXPECT_EQ(counts.path(1), b);
  EXPECT_THAT(counts.ranges(1), ElementsAre(Range{at(30), at(35), 4}, Range{at(30), at(40), 3}));
}

TEST(ContextCounts, NormalizeOfNothing) {
  ContextCounts counts(ContextCounts::Kind::lines);
  counts.normalize();
  EXPECT_EQ(counts.size(), 0u);
}

TEST(ContextCounts, TouchedCodeIsAllThatIsCountedUnlessToldOfLess) {
  ContextCounts counts(ContextCounts::Kind::probes);
  for (u32 call : {1u, 2u}) {
    counts.begin(counts.paths.child(CallPath::empty, CodeIndex{call}));
    counts.add_range({CodeIndex{3}, CodeIndex{5}, 1});
    counts.add_branch({CodeIndex{5}, CodeIndex{3}, 1});
  }
  counts.normalize();
  EXPECT_EQ(counts.touched_ranges().size(), 2u);
  counts.remember_touched({{CodeIndex{3}, CodeIndex{5}}}, {{CodeIndex{5}, CodeIndex{3}}});
  EXPECT_EQ(counts.touched_ranges().size(), 1u);
  EXPECT_EQ(counts.touched_branches().size(), 1u);
  counts.begin(CallPath::empty);
  EXPECT_EQ(counts.touched_ranges().size(), 2u);
}

}  // namespace
}  // namespace pgokit::unwind
