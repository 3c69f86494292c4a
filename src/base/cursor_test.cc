#include "base/cursor.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/result.h"

namespace pgokit {
namespace {

TEST(Cursor, ReadsInOrder) {
  const u8 data[] = {1, 0, 2, 0xe5, 0x8e, 0x26, 'h', 'i', 0, 0x7b};
  Cursor in(data);
  EXPECT_EQ(in.get<u16>(), 1);
  EXPECT_EQ(in.get<u8>(), 2);
  EXPECT_EQ(in.uleb128(), 624485u);
  EXPECT_EQ(in.cstring(), "hi");
  EXPECT_EQ(in.sleb128(), -5);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
}

TEST(Cursor, StaysFailedPastTheEnd) {
  const u8 data[] = {1, 2, 3};
  Cursor in(data);
  EXPECT_EQ(in.get<u32>(), 0u);
  EXPECT_EQ(in.get<u8>(), 0);
  EXPECT_EQ(in.uleb128(), 0u);
  EXPECT_FALSE(in.ok());
}

TEST(Cursor, ArrayIsAViewAndNeverTrustsItsCount) {
  struct Branch {
    Le<u64> from, to;
  };
  std::vector<u8> data(1 + 2 * sizeof(Branch), 7);
  Cursor in(data);
  in.get<u8>();
  auto branches = in.array<Branch>(2);
  EXPECT_EQ(branches[1].to, 0x0707070707070707u);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.array<Branch>(u64{1} << 62).empty());
  EXPECT_FALSE(in.ok());
}

TEST(Cursor, TextWithoutEndFails) {
  const u8 data[] = {'a', 'b'};
  Cursor in(data);
  EXPECT_EQ(in.cstring(), "");
  EXPECT_FALSE(in.ok());
}

TEST(Cursor, LebExtremes) {
  const u8 max[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  EXPECT_EQ(Cursor(max).uleb128(), ~u64{0});
  const u8 padded[] = {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
  EXPECT_EQ(Cursor(padded).uleb128(), 1u);
  const u8 over[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  Cursor in(over);
  EXPECT_EQ(in.uleb128(), 0u);
  EXPECT_FALSE(in.ok());
  const u8 least[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f};
  EXPECT_EQ(Cursor(least).sleb128(), INT64_MIN);
}

Result<int> half(int x) {
  if (x % 2) return fail("{} is odd", x);
  return x / 2;
}
Result<int> quarter(int x) {
  int h = TRY(half(x));
  return TRY_IN("second half", half(h));
}

TEST(Result, TryPassesErrorsUp) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "second half: 3 is odd");
}

}  // namespace
}  // namespace pgokit
