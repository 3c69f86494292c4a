#include "unwind/recursion.h"

#include <gmock/gmock.h>

#include <string>

namespace pgokit::unwind {
namespace {

std::string compressed(std::string_view letters, i64 longest = -1) {
  std::vector<u32> frames(letters.begin(), letters.end());
  compress_recursion(frames, longest);
  return {frames.begin(), frames.end()};
}

TEST(Recursion, RepeatedBlocksAreKeptOnce) {
  EXPECT_EQ(compressed(""), "");
  EXPECT_EQ(compressed("a"), "a");
  EXPECT_EQ(compressed("aa"), "a");
  EXPECT_EQ(compressed("abcd"), "abcd");
  EXPECT_EQ(compressed("aabcabcbcd"), "abcd");
  EXPECT_EQ(compressed("aabbccbbcc"), "abc");
  EXPECT_EQ(compressed("abababc"), "abc");
  EXPECT_EQ(compressed("xabcabc"), "xabc");
}

TEST(Recursion, ShorterBlocksGoFirst) {
  EXPECT_EQ(compressed("aabaab"), "ab");
  EXPECT_EQ(compressed("abcabcab"), "abcab");
}

TEST(Recursion, LongestBlockIsAsked) {
  EXPECT_EQ(compressed("aababb", 0), "aababb");
  EXPECT_EQ(compressed("aabab", 1), "abab");
  EXPECT_EQ(compressed("aabab", 2), "ab");
}

}  // namespace
}  // namespace pgokit::unwind
