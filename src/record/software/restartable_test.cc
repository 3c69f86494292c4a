#include "record/software/restartable.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pgokit::record {
namespace {

struct Description {
  u32 version = 0, flags = 0;
  u64 start = 0x401000, length = 0x20, abort = 0x402000;
};

std::vector<u8> bytes_of(const Description& one, size_t before = 0) {
  std::vector<u8> bytes(before + sizeof one, 0);
  std::memcpy(bytes.data() + before, &one, sizeof one);
  return bytes;
}

Mapping code() {
  Mapping mapping;
  mapping.start = 0x400000, mapping.end = 0x410000;
  return mapping;
}

TEST(Restartable, SequencesAreFoundByTheirDescriptions) {
  for (size_t before : {0U, 8U, 32U, 40U}) {
    auto found = find_sequences(bytes_of({}, before), code());
    ASSERT_EQ(found.size(), 1U) << before;
    EXPECT_EQ(found[0].end, 0x401020U);
    EXPECT_TRUE(found[0].contains(0x401000 - 8)) << "where it is announced";
    EXPECT_FALSE(found[0].contains(0x401020));
  }
}

TEST(Restartable, OtherDataAreNone) {
  EXPECT_TRUE(find_sequences({}, code()).empty());
  EXPECT_TRUE(find_sequences(bytes_of({.version = 1}), code()).empty());
  EXPECT_TRUE(find_sequences(bytes_of({.flags = 64}), code()).empty());
  EXPECT_TRUE(find_sequences(bytes_of({.start = 0x601000}), code()).empty());
  EXPECT_TRUE(find_sequences(bytes_of({.start = 8}), code()).empty());
  EXPECT_TRUE(find_sequences(bytes_of({.length = 0}), code()).empty());
  EXPECT_TRUE(find_sequences(bytes_of({.length = u64(-1)}), code()).empty());
  EXPECT_TRUE(find_sequences(bytes_of({.abort = 0x401010}), code()).empty()) << "inside";
  EXPECT_TRUE(find_sequences(std::vector<u8>(4096), code()).empty());
  auto cut = bytes_of({});
  cut.pop_back();
  EXPECT_TRUE(find_sequences(cut, code()).empty());
}

TEST(Restartable, OnlyFilesWithAbortHandlersHaveAny) {
  EXPECT_FALSE(has_abort_handlers({}));
  constexpr u8 some[] = {0x53, 0x30, 0x05, 0x0f, 0xb9, 0x3d, 0x53, 0x30, 0x05, 0x53, 0xeb};
  EXPECT_TRUE(has_abort_handlers(some));
  EXPECT_FALSE(has_abort_handlers(Bytes(some).first(9)));
}

}  // namespace
}  // namespace pgokit::record
