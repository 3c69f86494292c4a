#include "isa/x86/quick.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "isa/machines.h"

namespace pgokit::isa {
namespace {

using Code = std::vector<u8>;

// Every opcode and modrm byte behind `start`.
void compare_with_zydis(const Code& start, u8 index_byte, u8 filling, size_t& common) {
  Code code(start);
  code.resize(start.size() + 16, filling);
  u8* opcode = code.data() + start.size();
  opcode[2] = index_byte;
  for (unsigned i = 0; i < 0x10000; ++i) {
    opcode[0] = static_cast<u8>(i);
    opcode[1] = static_cast<u8>(i >> 8);
    auto one = decode_common_x86(code, 0x1000);
    if (!one.ok()) continue;
    ++common;
    auto expected = decode_any_x86(code, 0x1000);
    bool same = one.length == expected.length && one.flow == expected.flow &&
                one.has_target == expected.has_target && one.target == expected.target;
    if (!same)
      return ADD_FAILURE() << fmt::format("{:02x}: length {} in place of {}", fmt::join(code, " "),
                                          one.length, expected.length);
  }
}

TEST(CommonX86, IsWhatZydisSays) {
  size_t common = 0;
  for (const Code& prefix : {Code{}, Code{0x66}, Code{0xf2}, Code{0xf3}})
    for (u8 rex : Code{0, 0x40, 0x47, 0x48})
      for (bool after_0f : {false, true})
        for (u8 index_byte : Code{0x00, 0x25}) {
          Code start(prefix);
          if (rex) start.push_back(rex);
          if (after_0f) start.push_back(0x0f);
          compare_with_zydis(start, index_byte, 0x80 | index_byte, common);
        }
  EXPECT_GT(common, 1'000'000u);
}

TEST(CommonX86, LeavesTheRestAlone) {
  auto is_common = [](Code code) {
    code.resize(16);
    return decode_common_x86(code, 0).ok();
  };
  EXPECT_TRUE(is_common({0x48, 0x89, 0xe5}));
  EXPECT_FALSE(is_common({0xc5, 0xf8, 0x77}));        // vzeroupper
  EXPECT_FALSE(is_common({0x64, 0x48, 0x8b, 0x00}));  // behind fs
  EXPECT_FALSE(is_common({0xf0, 0x01, 0x00}));        // lock
  EXPECT_FALSE(is_common({0x48, 0x66, 0x90}));        // a REX that is void
  EXPECT_FALSE(is_common({0x8d, 0xc0}));              // lea of a register
}

TEST(CommonX86, NeedsRoom) { EXPECT_FALSE(decode_common_x86(Code{0x90}, 0).ok()); }

}  // namespace
}  // namespace pgokit::isa
