#include "record/system/memory_map.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace pgokit::record {
namespace {

constexpr std::string_view some =
    "55d0a0000000-55d0a0001000 r--p 00000000 fe:00 77                 /bin/a b\n"
    "55d0a0001000-55d0a0002000 r-xp 00001000 fe:00 77                 /bin/a b\n"
    "nonsense\n"
    "55d0b0000000-55d0b0021000 rw-p 00000000 00:00 0                  [heap]\n"
    "7f1000000000-7f1000200000 r-xp 00000000 fe:00 78                 /lib/libc.so.6\n"
    "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                  [vdso]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n";

TEST(MemoryMap, ReadsLines) {
  auto map = MemoryMap::parse(some);
  ASSERT_EQ(map.list().size(), 6U);
  const auto* code = map.find(0x55d0a0001fff);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->path, "/bin/a b");
  EXPECT_EQ(code->offset, 0x1000U);
  EXPECT_TRUE(code->is_fixed_code());
  EXPECT_FALSE(map.find(0x55d0a0002000));
  EXPECT_FALSE(map.find(0));
  EXPECT_TRUE(map.find(0x7ffd00000000)->is_fixed_code());
  EXPECT_FALSE(map.find(0xffffffffff600000)->is_fixed_code());
}

TEST(MemoryMap, KnowsGeneratedCode) {
  auto map = MemoryMap::parse(
      "55d0a0001000-55d0a0002000 r-xp 00001000 fe:00 77                 /bin/a b\n"
      "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
      "7f0000002000-7f0000003000 r-xs 00000000 00:01 9                 /memfd:jit (deleted)\n"
      "7f0000004000-7f0000005000 rw-p 00000000 00:00 0 \n"
      "7f0000006000-7f0000007000 r-xp 00000000 00:00 0                  [anon:v8]\n"
      "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                  [vdso]\n");
  std::vector<bool> generated;
  for (const auto& one : map.list()) generated.push_back(one.is_generated());
  EXPECT_THAT(generated, testing::ElementsAre(false, true, true, false, true, false));
}

TEST(MemoryMap, FindsRoomNearCode) {
  auto map = MemoryMap::parse(some);
  constexpr u64 size = 32 << 20, reach = u64{2000} << 20;
  for (u64 near_to : {u64{0x55d0a0001000}, u64{0x7f1000000000}, u64{0x7ffd00000000}}) {
    u64 at = map.hole(near_to, size, reach);
    ASSERT_NE(at, 0U);
    EXPECT_LT(at > near_to ? at + size - near_to : near_to - at, reach);
    for (const auto& one : map.list()) EXPECT_TRUE(at + size <= one.start || at >= one.end);
  }
}

TEST(MemoryMap, ReadsThatOfAProcess) {
  auto map = MemoryMap::read(getpid());
  ASSERT_TRUE(map);
  const auto* own = map->find(reinterpret_cast<u64>(&getpid));
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->executable);
  EXPECT_FALSE(MemoryMap::read(0x3ffffff));
}

// Which code may be copied: that which only the process itself could change, in its own pages.
TEST(MemoryMap, CodeThatOthersOrOtherMappingsWriteIsNotFixed) {
  auto map = MemoryMap::parse(
      "1000-2000 r-xp 00000000 08:01 7    /bin/app\n"
      "2000-3000 r-xs 00000000 08:01 8    /tmp/shared\n"
      "3000-4000 r-xp 00000000 00:01 9    /memfd:code (deleted)\n"
      "4000-5000 rwxp 00000000 08:01 10   /tmp/writable\n"
      "5000-6000 r-xp 00000000 00:00 0 \n"
      "6000-7000 r-xp 00000000 08:01 11   /tmp/jit\n"
      "7000-8000 rw-s 00000000 08:01 11   /tmp/jit\n"
      "8000-9000 r-xp 00000000 08:02 11   /other/device\n"
      "9000-a000 rw-p 00000000 08:01 7    /bin/app\n"
      "a000-b000 r-xp 00000000 00:00 0    [vdso]\n");
  std::vector<u64> fixed;
  for (const auto& mapping : map.list())
    if (mapping.is_fixed_code()) fixed.push_back(mapping.start);
  EXPECT_EQ(fixed, (std::vector<u64>{0x1000, 0x8000, 0xa000}));
}

}  // namespace
}  // namespace pgokit::record
