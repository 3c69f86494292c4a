#include "record/cfi.h"

#include <gmock/gmock.h>
#include <link.h>

#include "base/file.h"

namespace pgokit::record {
namespace {

__attribute__((noinline)) int some_function(int n) {
  volatile int kept[20] = {n};
  return kept[n % 20];
}

u64 load_bias() {
  u64 bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        *static_cast<u64*>(to) = info->dlpi_addr;
        return 1;
      },
      &bias);
  return bias;
}

TEST(Cfi, KnowsTheFramesOfThisProgram) {
  auto image = MappedFile::open("/proc/self/exe").value();
  auto file = elf::File::parse(image.bytes()).value();
  auto table = CfiTable::find(file);
  ASSERT_TRUE(table);
  u64 entry = reinterpret_cast<u64>(&some_function) - load_bias();
  auto row = table->row_at(entry);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->cfa_register, CfiRow::rsp);
  EXPECT_EQ(row->cfa_offset, 8);
  ASSERT_TRUE(row->saved(CfiRow::return_address));
  EXPECT_EQ(row->offset[CfiRow::return_address], -8);
  EXPECT_FALSE(table->row_at(1));
  EXPECT_FALSE(table->row_at(~u64{0}));
  EXPECT_NE(some_function(3), 1);
}

// Damage gives no row, or another one, but nothing worse.
TEST(Cfi, SurvivesDamage) {
  auto image = MappedFile::open("/proc/self/exe").value();
  std::vector<u8> bytes(image.bytes().begin(), image.bytes().end());
  auto whole = elf::File::parse(bytes).value();
  const auto* frames = whole.section(".eh_frame");
  ASSERT_TRUE(frames);
  auto offset = static_cast<size_t>(frames->contents.data() - bytes.data());
  u64 address = reinterpret_cast<u64>(&some_function) - load_bias();
  u32 random = 1;
  for (int i = 0; i < 300; ++i) {
    for (int k = 0; k < 500; ++k) {
      random = random * 1664525 + 1013904223;
      bytes[offset + (random >> 8) % frames->contents.size()] ^= static_cast<u8>(random >> 3);
    }
    auto file = elf::File::parse(bytes);
    ASSERT_TRUE(file);
    if (auto table = CfiTable::find(*file))
      for (u64 at = address; at < address + 2000; at += 64) table->row_at(at);
  }
}

}  // namespace
}  // namespace pgokit::record
