#include "page/call_tree.h"

#include <gmock/gmock.h>

namespace pgokit::page {
namespace {

using profile::Profile;

// main calls f, which has g inlined.
Profile nested(u64 times) {
  Profile profile;
  auto main = profile.contexts.top(profile.names.intern("main"));
  auto f = profile.contexts.child(main, {3, 0}, profile.names.intern("f"));
  profile.function(main).add_body({1, 0}, 10 * times);
  auto& called = profile.function(f);
  called.add_body({1, 0}, 5 * times);
  called.inlinee({2, 0}, profile.names.intern("g")).add_body({1, 0}, 7 * times);
  profile.sort();
  return profile;
}

TEST(CallTree, IsEmptyWithoutProfiles) {
  CallTree tree;
  EXPECT_TRUE(tree.empty());
  tree.add(Profile(), 0);
  EXPECT_TRUE(tree.empty());
}

TEST(CallTree, AddsUpSamplesFromTheInside) {
  CallTree tree;
  tree.add(nested(1), 0);
  auto nodes = tree.shown();
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].total[0], 22u);
  std::vector<std::string> path;
  for (u32 i = 3; i; i = nodes[i].parent) path.push_back(tree.names()[nodes[i].name]);
  EXPECT_THAT(path, testing::ElementsAre("g", "f", "main"));
  EXPECT_EQ(nodes[3].kind, CallTree::Kind::inlined);
  EXPECT_EQ(nodes[2].total[0], 12u);
  EXPECT_EQ(nodes[1].total[0], 22u);
}

TEST(CallTree, HasBothSidesOfAComparison) {
  CallTree tree;
  tree.add(nested(1), 0);
  tree.add(nested(3), 1);
  auto nodes = tree.shown();
  ASSERT_EQ(nodes.size(), 4u);
  for (const auto& node : nodes) EXPECT_EQ(node.total[1], 3 * node.total[0]);
}

TEST(CallTree, LeavesOutWhatCannotBeSeenWithAllBelowIt) {
  CallTree tree;
  auto profile = nested(1);
  profile.function(profile.names.intern("hot")).add_body({1, 0}, 10'000'000);
  profile.sort();
  tree.add(profile, 0);
  auto nodes = tree.shown();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(tree.names()[nodes[1].name], "hot");
  EXPECT_EQ(nodes[0].total[0], 10'000'022u);
}

}  // namespace
}  // namespace pgokit::page
