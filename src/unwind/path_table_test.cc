#include "unwind/path_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pgokit::unwind {
namespace {

using Chain = std::vector<Place>;

Chain chain_of(const PathTable& table, u32 node) {
  Chain chain;
  for (; node != PathTable::root; node = table.nodes()[node].parent)
    chain.push_back(table.nodes()[node].call);
  std::ranges::reverse(chain);
  return chain;
}

Chain what_is_left(Chain chain, const ContextPolicy& policy) {
  auto last_outside = std::ranges::find(chain.rbegin(), chain.rend(), outside);
  chain.erase(chain.begin(), last_outside.base());
  compress_recursion(chain, policy.longest_recursion);
  size_t kept = std::min<size_t>(chain.size(), policy.limit(policy.max_depth));
  chain.erase(chain.begin(), chain.end() - static_cast<std::ptrdiff_t>(kept));
  return chain;
}

class Chains : public testing::TestWithParam<ContextPolicy> {};

// Few different calls, so that they are repeated in all ways.
TEST_P(Chains, HaveTheNodesOfWhatIsLeftOfThem) {
  std::mt19937 chance(1);
  PathTable table(GetParam());
  CallStack stack;
  for (int sample = 0; sample < 300; ++sample) {
    stack.reset();
    Chain chain;
    std::vector<std::pair<u32, Chain>> asked;
    for (int step = 0; step < 40; ++step) {
      if (chance() % 3 == 0 && !chain.empty()) {
        chain.pop_back();
        stack.pop();
      } else {
        chain.push_back(chance() % 20 == 0 ? outside : chance() % 4);
        stack.push(chain.back());
      }
      if (chance() % 2) asked.emplace_back(stack.top(), chain);
    }
    std::ranges::shuffle(asked, chance);
    for (const auto& [frame, whole] : asked)
      ASSERT_EQ(chain_of(table, stack.node(frame, table)), what_is_left(whole, GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllPolicies, Chains,
                         testing::Values(ContextPolicy{}, ContextPolicy{.longest_recursion = 0},
                                         ContextPolicy{.longest_recursion = 1},
                                         ContextPolicy{.max_depth = 3}));

TEST(PathTable, HasANodeForEachChainOnce) {
  PathTable table({});
  CallStack stack;
  for (int sample = 0; sample < 2; ++sample) {
    stack.reset();
    for (Place call : {1, 2, 3}) stack.push(call);
    EXPECT_EQ(chain_of(table, stack.node(stack.top(), table)), (Chain{1, 2, 3}));
  }
  EXPECT_EQ(table.nodes().size(), 4u);
}

}  // namespace
}  // namespace pgokit::unwind
