#include "transform/preinline/call_order.h"

#include <gmock/gmock.h>

#include "test/support/context_profiles.h"

namespace pgokit::transform {
namespace {

std::vector<std::string> order_of(std::string_view text, u64 cold = 0, bool sort_cycles = true) {
  auto profile = test::profile_of(text);
  ContextTree tree(profile);
  CallGraph graph(tree, profile.names);
  graph.drop_calls_up_to(cold);
  std::vector<std::string> order;
  for (NameId name : graph.top_down(sort_cycles)) order.emplace_back(profile.names.text(name));
  return order;
}

TEST(CallGraph, CallersComeBeforeCallees) {
  EXPECT_THAT(order_of("[c:1 @ b:1 @ a]:1:1\n 1: 1\n"), testing::ElementsAre("c", "b", "a"));
  EXPECT_THAT(order_of("[a]:1:1\n 1: 1\n[b]:1:1\n 1: 1\n"), testing::ElementsAre("b", "a"));
  EXPECT_THAT(order_of(""), testing::IsEmpty());
}

TEST(CallGraph, InACycleTheHottestCallsDecide) {
  constexpr auto cycle =
      "[a]:1:1\n 1: 1 b:9\n[a:1 @ b]:1:9\n 1: 1 c:90\n[a:1 @ b:1 @ c]:1:90\n 1: 1 a:500\n"
      "[a:1 @ b:1 @ c:1 @ a]:1:500\n 1: 1\n";
  EXPECT_THAT(order_of(cycle), testing::ElementsAre("b", "c", "a"));
  // Dropped calls do not close the cycle.
  EXPECT_THAT(order_of(cycle, 9), testing::ElementsAre("b", "c", "a"));
  EXPECT_THAT(order_of(cycle, 90), testing::ElementsAre("c", "b", "a"));
}

TEST(CallGraph, CallsItself) {
  EXPECT_THAT(order_of("[a:1 @ a:1 @ b]:1:1\n 1: 1\n[b:1 @ a]:1:1\n 1: 1\n"),
              testing::UnorderedElementsAre("a", "b"));
}

TEST(CallsOf, AreTheCallersOrTheCalleesWhicheverIsMore) {
  auto profile = test::profile_of(
      "[a]:9:1\n 1: 9 b:7\n[a:1 @ b]:5:2\n 1: 5\n[a:2 @ b]:5:0\n 1: 3\n[x:1 @ b]:5:5\n 1: 5\n");
  ContextTree tree(profile);
  auto name = [&](const char* text) { return profile.names.intern(text); };
  u32 a = tree.child(ContextTree::root, {}, name("a"));
  EXPECT_EQ(calls_of(tree, tree.child(a, {1, 0}, name("b"))), 7);
  EXPECT_EQ(calls_of(tree, tree.child(a, {2, 0}, name("b"))), 3);
  u32 x = tree.child(ContextTree::root, {}, name("x"));
  EXPECT_EQ(calls_of(tree, tree.child(x, {1, 0}, name("b"))), 0);  // nothing is known of x
}

}  // namespace
}  // namespace pgokit::transform
