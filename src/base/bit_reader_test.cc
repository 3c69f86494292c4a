#include "base/bit_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace pgokit {
namespace {

TEST(BitReader, ReadsAnyWidthAtAnyPlace) {
  std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed): the same every time
  std::vector<u8> bytes(64);
  for (auto& byte : bytes) byte = static_cast<u8>(random());
  for (u32 start = 0; start < 64; ++start)
    for (u32 width = 1; width <= 64; ++width) {
      BitReader in(bytes);
      in.fixed(start);
      u64 expected = 0;
      for (u32 i = 0; i < width; ++i)
        expected |= u64{bytes[(start + i) / 8] >> (start + i) % 8 & 1u} << i;
      ASSERT_EQ(in.fixed(width), expected) << start << " " << width;
      ASSERT_EQ(in.position(), start + width);
    }
}

TEST(BitReader, ReadsNumbersOfPieces) {
  const u8 bytes[] = {0b0110'0101, 0x00, 0x00, 0x00};  // of 3 bits: 101, 100, 001
  BitReader in(bytes);
  EXPECT_EQ(in.vbr(3), 1u | 0u << 2 | 1u << 4);
  EXPECT_TRUE(in.ok());
}

TEST(BitReader, FailsPastTheEndAndAtNumbersWithoutOne) {
  const u8 bytes[] = {0xff, 0xff, 0xff, 0xff};
  BitReader in(bytes);
  EXPECT_EQ(in.fixed(32), 0xffff'ffffu);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.fixed(1), 0u);
  EXPECT_FALSE(in.ok());

  std::vector<u8> endless(64, 0xff);
  BitReader number(endless);
  EXPECT_EQ(number.vbr(6), 0u);
  EXPECT_FALSE(number.ok());

  BitReader taken(bytes);
  EXPECT_EQ(taken.take(5).size(), 0u);
  EXPECT_FALSE(taken.ok());
}

TEST(BitReader, TakesWholeBytesAfterAligning) {
  const u8 bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
  BitReader in(bytes);
  EXPECT_EQ(in.fixed(3), 1u);
  in.align();
  auto taken = in.take(4);
  ASSERT_EQ(taken.size(), 4u);
  EXPECT_EQ(taken[0], 5);
  EXPECT_TRUE(in.at_end());
}

}  // namespace
}  // namespace pgokit
