#include "samples/raw_profile.h"

#include <gtest/gtest.h>

namespace pgokit::samples {
namespace {

constexpr BinaryAddr base{0x201000};

Counts example() {
  return {{{{0x201860}, {0x201871}, 193}, {{0x201876}, {0x201881}, 196}},
          {{external, {0x201700}, 2}, {{0x201871}, {0x201780}, 198}}};
}

TEST(RawProfile, IsWrittenAsThePeerDoes) {
  EXPECT_EQ(write_raw_profile(example(), base),
            "2\n860-871:193\n876-881:196\n"
            "2\nffffffffffdff001->700:2\n871->780:198\n");
}

TEST(RawProfile, ReadsWhatItWrites) {
  EXPECT_EQ(read_raw_profile(write_raw_profile(example(), base), base), example());
  EXPECT_EQ(read_raw_profile("0\n0\n", base), Counts{});
}

TEST(RawProfile, EqualAddressesAreSummed) {
  auto counts = read_raw_profile("2\n 1-2:3\n1-2:4\n0\n1\n1-2:1\n0\n", {0});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->ranges, (std::vector<RangeCount>{{{1}, {2}, 8}}));
}

TEST(RawProfile, DamageNamesTheLine) {
  auto message = [](std::string_view text) { return read_raw_profile(text, {0}).error().message; };
  EXPECT_EQ(message(""), "Invalid raw profile! It ends with line 0");
  EXPECT_EQ(message("x"), "Invalid raw profile at line 1: x");
  EXPECT_EQ(message("2\n1-2:3\n"), "Invalid raw profile! It ends with line 2");
  EXPECT_EQ(message("1\n1-2\n"), "Invalid raw profile at line 2: 1-2");
  EXPECT_EQ(message("1\n1-:5\n"), "Invalid raw profile at line 2: 1-:5");
  EXPECT_EQ(message("1\n1-2:99999999999999999999\n"),
            "Invalid raw profile at line 2: 1-2:99999999999999999999");
  EXPECT_EQ(message("0\n1\n1-2:3\n"), "Invalid raw profile at line 3: 1-2:3");
  EXPECT_EQ(message("[main]\n0\n0\n"),
            "a context-sensitive raw profile, where a flat one is wanted");
  EXPECT_EQ(message("18446744073709551615\n"), "Invalid raw profile! It ends with line 1");
}

}  // namespace
}  // namespace pgokit::samples
