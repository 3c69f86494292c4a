#include "base/compact_vector.h"

#include <gtest/gtest.h>

#include <string>

namespace pgokit {
namespace {

std::string joined(const CompactVector<std::string>& all) {
  std::string text;
  for (const auto& one : all) text += one;
  return text;
}

TEST(CompactVector, IsEightBytesAndEmptyAtFirst) {
  CompactVector<std::string> none;
  EXPECT_EQ(sizeof(none), 8);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(none.capacity(), 0);
}

TEST(CompactVector, InsertsAnywhere) {
  CompactVector<std::string> all;
  for (const char* one : {"d", "b", "a"}) all.insert(all.begin(), one);
  all.insert(all.begin() + 2, "c");
  all.emplace_back("e");
  EXPECT_EQ(joined(all), "abcde");
  EXPECT_EQ(all.back(), "e");
}

TEST(CompactVector, ErasesAndResizes) {
  CompactVector<std::string> all;
  for (char c = 'a'; c < 'k'; ++c) all.emplace_back(std::string(40, c));
  all.erase(all.begin() + 1);
  all.erase(all.begin() + 2, all.begin() + 9);
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0] + all[1], std::string(40, 'a') + std::string(40, 'c'));
  all.resize(3);
  EXPECT_EQ(all[2], "");
  all.resize(0);
  EXPECT_TRUE(all.empty());
}

TEST(CompactVector, Moves) {
  CompactVector<std::string> one, other;
  one.emplace_back("one");
  other.emplace_back("other");
  one = std::move(other);
  EXPECT_EQ(joined(one), "other");
  CompactVector<std::string> third(std::move(one));
  EXPECT_TRUE(one.empty());  // NOLINT(bugprone-use-after-move): it is defined here
  EXPECT_EQ(joined(third), "other");
}

}  // namespace
}  // namespace pgokit
