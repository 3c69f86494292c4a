#include "generate/functions/disjoint.h"

#include <gmock/gmock.h>

namespace pgokit::generate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RangeCount range(u64 start, u64 last, u64 count) { return {{start}, {last}, count}; }

TEST(DisjointPieces, NothingOfNothing) { EXPECT_THAT(disjoint_pieces({}), IsEmpty()); }

TEST(DisjointPieces, OverlapIsSummed) {
  EXPECT_THAT(disjoint_pieces({range(10, 20, 10), range(15, 30, 5)}),
              ElementsAre(range(10, 14, 10), range(15, 20, 15), range(21, 30, 5)));
}

TEST(DisjointPieces, GapsStayGaps) {
  EXPECT_THAT(disjoint_pieces({range(10, 20, 1), range(30, 40, 2)}),
              ElementsAre(range(10, 20, 1), range(30, 40, 2)));
}

TEST(DisjointPieces, ZeroRangesShowWhatDidNotRun) {
  EXPECT_THAT(disjoint_pieces({range(0, 99, 0), range(10, 20, 7)}),
              ElementsAre(range(0, 9, 0), range(10, 20, 7), range(21, 99, 0)));
}

TEST(DisjointPieces, ARangeOfOneInstruction) {
  EXPECT_THAT(disjoint_pieces({range(5, 5, 3), range(5, 8, 1)}),
              ElementsAre(range(5, 5, 4), range(6, 8, 1)));
}

TEST(DisjointPieces, InAnyOrder) {
  EXPECT_THAT(disjoint_pieces({range(15, 30, 5), range(10, 20, 10)}),
              ElementsAre(range(10, 14, 10), range(15, 20, 15), range(21, 30, 5)));
}

TEST(DisjointPieces, DamagedRangesDoNotCrash) {
  disjoint_pieces({range(9, 3, 1), range(~u64{0}, ~u64{0}, 2), range(0, 0, 0)});
}

}  // namespace
}  // namespace pgokit::generate
