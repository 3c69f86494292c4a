#include "base/losses.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(Losses, AreSummedAndZeroIsNoLoss) {
  Losses losses;
  losses.add("records cut short", 0, 10);
  EXPECT_TRUE(losses.empty());
  losses.add("records cut short", 2, 10);
  losses.add("records cut short", 1, 10);
  ASSERT_EQ(losses.list().size(), 1u);
  EXPECT_EQ(losses.list()[0].count, 3u);
  EXPECT_EQ(losses.list()[0].of, 20u);
}

}  // namespace
}  // namespace pgokit
