#include "record/software/call_trie.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "perf/branch_contexts.h"

namespace pgokit::record {
namespace {

std::string calls_of(const CallTrie& trie, u32 node) {
  std::string calls;
  for (; node != CallTrie::root; node = trie.nodes()[node].parent)
    calls.insert(calls.begin(), static_cast<char>(trie.nodes()[node].call));
  return calls;
}

u32 node_of(CallTrie& trie, std::string_view calls) {
  u32 node = CallTrie::root;
  for (char call : calls) node = trie.child(node, static_cast<u32>(call)).node;
  return node;
}

TEST(CallTrie, EqualCallsAreOneNode) {
  CallTrie trie;
  u32 abc = node_of(trie, "abc");
  EXPECT_EQ(calls_of(trie, abc), "abc");
  EXPECT_EQ(node_of(trie, "abc"), abc);
  EXPECT_NE(node_of(trie, "acb"), abc);
  EXPECT_EQ(trie.nodes().size(), 6U);
}

TEST(CallTrie, RecursionIsLeftOut) {
  CallTrie trie;
  auto kept = [&](std::string_view calls) { return calls_of(trie, node_of(trie, calls)); };
  EXPECT_EQ(kept("aaaaa"), "a");
  EXPECT_EQ(kept("aab"), "ab");
  EXPECT_EQ(kept("abababc"), "abc");
  EXPECT_EQ(kept("ababa"), "aba");
  EXPECT_EQ(kept("mabcabcabcd"), "mabcd");
  EXPECT_EQ(kept("abacabac"), "abac");
  EXPECT_EQ(kept("abba"), "aba");
}

// Of two functions that call themselves and each other: a, a b, a b a.
TEST(CallTrie, DeepRecursionTakesNoMemory) {
  CallTrie trie;
  std::mt19937 random(1);
  u32 node = CallTrie::root;
  for (int i = 0; i < 1'000'000; ++i) node = trie.child(node, 'a' + random() % 2).node;
  EXPECT_EQ(trie.nodes().size(), 4U);
}

TEST(CallTrie, NothingStandsTwiceInARow) {
  CallTrie trie;
  std::mt19937 random(2);
  u32 node = CallTrie::root;
  for (int i = 0; i < 1'000; ++i) {
    node = random() % 5 ? trie.child(node, 'a' + random() % 4).node : trie.nodes()[node].parent;
    auto calls = calls_of(trie, node);
    for (size_t length = 1; 2 * length <= calls.size(); ++length)
      for (size_t at = 0; at + 2 * length <= calls.size(); ++at)
        ASSERT_NE(calls.substr(at, length), calls.substr(at + length, length)) << calls;
  }
}

TEST(CallTrie, WhatIsTooMuchBeginsAnew) {
  CallTrie trie(4);
  auto a = trie.child(CallTrie::root, 'a');
  auto b = trie.child(a.node, 'b');
  EXPECT_FALSE(a.cut || b.cut);
  EXPECT_FALSE(trie.child(CallTrie::root, 'c').cut);
  auto c = trie.child(b.node, 'c');
  EXPECT_TRUE(c.cut);
  EXPECT_EQ(calls_of(trie, c.node), "c");
  auto d = trie.child(b.node, 'd');
  EXPECT_TRUE(d.cut);
  EXPECT_EQ(d.node, CallTrie::root);

  CallTrie deep;
  u32 node = CallTrie::root;
  for (u32 call = 1; call <= perf::BranchContexts::most_callers; ++call)
    node = deep.child(node, call).node;
  auto below = deep.child(node, 9999);
  EXPECT_TRUE(below.cut);
  EXPECT_EQ(deep.nodes()[below.node].parent, CallTrie::root);
}

}  // namespace
}  // namespace pgokit::record
