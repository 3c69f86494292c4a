#include "base/leb128.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/cursor.h"

namespace pgokit {
namespace {

TEST(Leb128, IsReadAsItWasWritten) {
  std::vector<u8> bytes;
  auto put = [&](u8 byte) { bytes.push_back(byte); };
  put_uleb128(624485, put);
  EXPECT_EQ(bytes, (std::vector<u8>{0xe5, 0x8e, 0x26}));
  constexpr u64 numbers[] = {0, 1, 127, 128, 16383, 16384, u64{1} << 63, ~u64{0}};
  for (u64 number : numbers) {
    bytes.clear();
    put_uleb128(number, put), put_sleb128(static_cast<i64>(number), put);
    EXPECT_LE(bytes.size(), 2 * longest_leb128);
    Cursor in(bytes);
    EXPECT_EQ(in.uleb128(), number);
    EXPECT_EQ(in.sleb128(), static_cast<i64>(number));
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.left(), 0U);
  }
}

}  // namespace
}  // namespace pgokit
