#include "base/parse_number.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/types.h"

namespace pgokit {
namespace {

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  return parse_number(text, value) ? std::optional(value) : std::nullopt;
}

template <class Number>
std::optional<Number> parsed(std::string_view text, int base) {
  Number value{};
  return parse_number(text, value, base) ? std::optional(value) : std::nullopt;
}

TEST(ParseNumber, RefusesWhatIsNotAllOfIt) {
  for (auto text : {"", " 1", "1 ", "+1", "-1", "0x1", "1.", "a"}) {
    EXPECT_EQ(parsed<u64>(text), std::nullopt) << text;
    EXPECT_EQ(parsed<u64>(text, 10), std::nullopt) << text;
  }
}

TEST(ParseNumber, RefusesWhatDoesNotFit) {
  EXPECT_EQ(parsed<u8>("256"), std::nullopt);
  EXPECT_EQ(parsed<u8>("255"), 255);
  EXPECT_EQ(parsed<u8>("18446744073709551615"), std::nullopt);
  EXPECT_EQ(parsed<u64>("9999999999999999999"), 9999999999999999999u);
  EXPECT_EQ(parsed<u64>("00000000000000000000017"), 17u);
  EXPECT_EQ(parsed<u64>("18446744073709551615"), ~u64{0});
  EXPECT_EQ(parsed<u64>("18446744073709551616"), std::nullopt);
}

TEST(ParseNumber, ReadsOtherBases) {
  EXPECT_EQ(parsed<u64>("fF", 16), 255);
  EXPECT_EQ(parsed<u32>("17", 8), 15);
  EXPECT_EQ(parsed<u32>("18", 8), std::nullopt);
  EXPECT_EQ(parsed<i64>("-3", 10), -3);
}

TEST(TakeNumber, LeavesTheRest) {
  std::string_view text = "12:34";
  u32 value = 0;
  EXPECT_TRUE(take_number(text, value));
  EXPECT_EQ(value, 12);
  EXPECT_EQ(text, ":34");
}

TEST(TakeNumber, TakesNothingWhereThereIsNone) {
  std::string_view text = ":34", large = "300";
  u8 value = 7;
  EXPECT_FALSE(take_number(text, value));
  EXPECT_FALSE(take_number(large, value));
  EXPECT_EQ(value, 7);
  EXPECT_EQ(text, ":34");
  EXPECT_EQ(large, "300");
}

}  // namespace
}  // namespace pgokit
