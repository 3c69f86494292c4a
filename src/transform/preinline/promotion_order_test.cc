#include "transform/preinline/promotion_order.h"

#include <gmock/gmock.h>

namespace pgokit::transform {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr u32 nowhere = PromotionOrder::nowhere;

class PromotionOrderTest : public testing::Test {
 protected:
  u32 place(u32 above, u64 path, std::vector<u32> members) {
    u32 made = order_.add(above, path);
    order_.members(made) = std::move(members);
    return made;
  }
  void move_all(u32 first = nowhere, bool has_samples = false) {
    order_.move_all(first, has_samples, taken_, lost_);
  }

  PromotionOrder order_;
  std::vector<u32> taken_, lost_;
};

TEST_F(PromotionOrderTest, PlacesComeByTheirRank) {
  u32 late = place(nowhere, 0, {1, 2}), early = place(nowhere, 0, {3});
  order_.decide(late, 9);
  order_.decide(early, 4);
  move_all();
  EXPECT_THAT(taken_, ElementsAre(3, 1, 2));
  EXPECT_THAT(lost_, IsEmpty());
}

TEST_F(PromotionOrderTest, WithoutSamplesNothingMoves) {
  place(nowhere, 0, {1});
  move_all();
  EXPECT_THAT(taken_, IsEmpty());
}

TEST_F(PromotionOrderTest, WhatIsThereAlreadyComesFirst) {
  u32 top = place(nowhere, 0, {7}), called = place(nowhere, 0, {1});
  order_.decide(called, 2);
  move_all(top, true);
  EXPECT_THAT(taken_, ElementsAre(7, 1));
}

TEST_F(PromotionOrderTest, UndecidedPlacesStayWhereTheyAre) {
  u32 decided = place(nowhere, 0, {1});
  place(nowhere, 0, {2});
  order_.decide(decided, 1);
  move_all();
  EXPECT_THAT(taken_, ElementsAre(1));
}

TEST_F(PromotionOrderTest, APlaceBelowHasItsOwnTurn) {
  u32 outer = place(nowhere, 0, {1}), inner = place(outer, 5, {2});
  order_.decide(outer, 1);
  order_.decide(inner, 2);
  move_all();
  EXPECT_THAT(taken_, ElementsAre(1, 2));
}

// The second one meets the first below what was moved, and goes with it from then on.
TEST_F(PromotionOrderTest, PlacesReachedTheSameWayMeet) {
  u32 one = place(nowhere, 0, {1}), other = place(nowhere, 0, {2});
  u32 below_one = place(one, 5, {11});
  place(other, 5, {12});
  u32 another_way = place(other, 6, {13});
  order_.decide(one, 1);
  order_.decide(other, 2);
  order_.decide(below_one, 3);
  order_.decide(another_way, 4);
  move_all();
  EXPECT_THAT(taken_, ElementsAre(1, 2, 11, 12, 13));
  EXPECT_FALSE(order_.is_irregular());
}

TEST_F(PromotionOrderTest, TheThirdLevelOfTheSameCallIsLost) {
  u32 first = place(nowhere, 0, {1}), second = place(first, 5, {2});
  u32 third = place(second, 5, {3});
  order_.decide(first, 1);
  order_.decide(second, 2);
  order_.decide(third, 3);
  move_all();
  EXPECT_THAT(taken_, ElementsAre(1, 2));
  EXPECT_THAT(lost_, ElementsAre(3));
}

}  // namespace
}  // namespace pgokit::transform
