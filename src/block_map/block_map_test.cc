#include "block_map/block_map.h"

#include <gmock/gmock.h>

#include "base/leb128.h"

namespace pgokit::block_map {
namespace {

// The bytes of a section.
struct Builder {
  std::vector<u8> bytes;

  Builder& byte(u8 value) { return bytes.push_back(value), *this; }
  Builder& uleb(u64 value) {
    put_uleb128(value, [&](u8 one) { bytes.push_back(one); });
    return *this;
  }
  Builder& address(u64 value) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<u8>(value >> 8 * i));
    return *this;
  }
};

std::string message_of(const Builder& builder) {
  auto status = each_function(builder.bytes, 8, [](const Function&) {});
  return status ? "" : status.error().message;
}

TEST(BlockMap, HasWhatTheCompilerBelieved) {
  Builder in;
  in.byte(5).byte(7).byte(0).address(0x1000).uleb(2);
  in.uleb(0).uleb(0).uleb(16).uleb(Block::falls_through);
  in.uleb(4).uleb(2).uleb(8).uleb(Block::returns);
  in.uleb(99);
  in.uleb(1000).uleb(1).uleb(4).uleb(probability_one);
  in.uleb(300).uleb(0);
  int functions = 0;
  auto status = each_function(in.bytes, 8, [&](const Function& f) {
    ++functions;
    EXPECT_EQ(f.entry_count, 99u);
    ASSERT_EQ(f.blocks.size(), 2u);
    EXPECT_EQ(f.address_of(f.blocks[1]), 0x1012u);
    EXPECT_EQ(f.blocks[1].id, 4u);
    EXPECT_EQ(f.blocks[1].flags, Block::returns);
    EXPECT_THAT(f.columns.frequencies, testing::ElementsAre(1000, 300));
    EXPECT_THAT(f.successors_of(0), testing::ElementsAre(4));
    EXPECT_THAT(f.probabilities_of(0), testing::ElementsAre(probability_one));
    EXPECT_TRUE(f.successors_of(1).empty());
    EXPECT_TRUE(f.calls_of(0).empty());
  });
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(functions, 1);
}

TEST(BlockMap, IsRefusedWhereItIsDamaged) {
  EXPECT_THAT(message_of(Builder().byte(6)), testing::HasSubstr("version 6"));
  EXPECT_THAT(message_of(Builder().byte(1)), testing::HasSubstr("version 1"));
  // Features of a later version, or unknown ones.
  EXPECT_THAT(message_of(Builder().byte(2).byte(32)), testing::HasSubstr("damaged"));
  EXPECT_THAT(message_of(Builder().byte(5).byte(0).byte(1)), testing::HasSubstr("damaged"));
  // No ranges; a number of blocks that the rest cannot hold; unknown flags.
  EXPECT_THAT(message_of(Builder().byte(2).byte(8).uleb(0)), testing::HasSubstr("damaged"));
  EXPECT_THAT(message_of(Builder().byte(2).byte(0).address(1).uleb(0xffff'ffff)),
              testing::HasSubstr("damaged"));
  EXPECT_THAT(
      message_of(Builder().byte(2).byte(0).address(1).uleb(1).uleb(0).uleb(0).uleb(1).uleb(32)),
      testing::HasSubstr("damaged"));
  // A number of more than 32 bits.
  EXPECT_THAT(message_of(Builder().byte(2).byte(0).address(1).uleb(u64{1} << 32)),
              testing::HasSubstr("damaged"));
}

}  // namespace
}  // namespace pgokit::block_map
