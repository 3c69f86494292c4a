#include "order/chain_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgokit::order {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(ChainLinks, KeepTheEdgesOfAPair) {
  ChainLinks links(3);
  links.add(0, 1, 10);
  links.add(1, 0, 11);
  links.add(1, 2, 12);
  EXPECT_EQ(links.size(), 2);
  EXPECT_EQ(links.between(0, 1), links.between(1, 0));
  EXPECT_THAT(links[links.between(0, 1)].edges, ElementsAre(10, 11));
  EXPECT_THAT(links.of(1), ElementsAre(0, 1));
  EXPECT_EQ(links.neighbours(0), 1);
}

TEST(ChainLinks, JoinedOnesHaveTheEdgesOfBoth) {
  ChainLinks links(4);
  links.add(0, 1, 10);
  links.add(0, 2, 11);
  links.add(1, 2, 12);
  links.add(1, 2, 13);
  links.add(3, 1, 14);
  u32 gone = links.between(1, 2), moved = links.between(1, 3);
  u32 stamp = links.weighed(gone);
  links.join(0, 1);
  EXPECT_THAT(links[0].edges, IsEmpty()) << "between the two";
  EXPECT_THAT(links[links.between(0, 2)].edges, UnorderedElementsAre(11, 12, 13));
  EXPECT_EQ(links.between(0, 3), moved);
  EXPECT_EQ(links[moved].b, 0);
  EXPECT_EQ(links.between(2, 0), links.between(0, 2));
  EXPECT_NE(links[gone].stamp, stamp) << "what it gained holds no longer";
  EXPECT_EQ(links.neighbours(1), 0);
  EXPECT_EQ(links.neighbours(0), 2);
}

}  // namespace
}  // namespace pgokit::order
