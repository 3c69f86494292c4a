#include "profile/model/scaling.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "profile/format.h"
#include "test/support/profile_builder.h"

namespace pgokit::profile {
namespace {

constexpr u64 largest = ~u64{0};

TEST(Divided, RoundsToTheNearest) {
  EXPECT_EQ(divided(0, 1024), 0);
  EXPECT_EQ(divided(511, 1024), 0);
  EXPECT_EQ(divided(512, 1024), 1);
  EXPECT_EQ(divided(1536, 1024), 2);
  EXPECT_EQ(divided(7, 1), 7);
  EXPECT_EQ(divided(largest, largest), 1);
  EXPECT_EQ(divided(largest, 2), u64{1} << 63);
  EXPECT_EQ(divided(largest / 2, largest), 0);
}

TEST(Quantized, KeepsTheFirstBits) {
  EXPECT_EQ(quantized(0, 1), 0);
  EXPECT_EQ(quantized(5, 3), 5);
  EXPECT_EQ(quantized(1000, 64), 1000);
  EXPECT_EQ(quantized(0b10011, 3), 0b10100);
  EXPECT_EQ(quantized(0b10010, 3), 0b10100);  // halves upwards
  EXPECT_EQ(quantized(0b10001, 3), 0b10000);
  EXPECT_EQ(quantized(0b1111, 2), 0b10000);
  EXPECT_EQ(quantized(largest, 4), u64{15} << 60);
  EXPECT_EQ(quantized(largest, 1), u64{1} << 63);
}

TEST(Quantized, IsOrderedAndStableAndClose) {
  for (unsigned bits = 1; bits <= 8; ++bits) {
    u64 last = 0;
    for (u64 count = 0; count < 5000; ++count) {
      u64 coarse = quantized(count, bits);
      EXPECT_GE(coarse, last);
      EXPECT_EQ(quantized(coarse, bits), coarse);
      EXPECT_LE(coarse > count ? coarse - count : count - coarse, count >> bits);
      last = coarse;
    }
  }
}

// Of the text of a profile, in which all counts stand.
std::string times(std::string_view factor) {
  std::string text = "f:70:20\n 1: 30 g:20 h:10\n 2: g:40\n  3: 40\n 4: vtables v:50 \n";
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '0') out += factor;
  }
  return out;
}

TEST(DivideCounts, ChangesEveryCount) {
  auto read = read_profile(as_bytes(times("00")));
  ASSERT_TRUE(read);
  divide_counts(read->profile, 100);
  EXPECT_EQ(write_text(read->profile), write_text(read_profile(as_bytes(times("")))->profile));
}

TEST(QuantizeCounts, GivesTheSameOnAnyNumberOfThreads) {
  for (auto shape : {test::RandomProfile{.seed = 3, .vtables = true},
                     test::RandomProfile{.seed = 4, .probes = true, .contexts = true}}) {
    auto one = test::random_profile(shape), other = test::random_profile(shape);
    quantize_counts(one, 2, 1);
    quantize_counts(other, 2, 3);
    EXPECT_EQ(write_text(one), write_text(other));
    auto before = write_text(one);
    quantize_counts(one, 2);
    EXPECT_EQ(write_text(one), before);
  }
}

}  // namespace
}  // namespace pgokit::profile
