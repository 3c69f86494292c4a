#include "dwarf/cfi.h"

#include <gmock/gmock.h>
#include <link.h>

#include "base/cursor.h"
#include "base/file.h"
#include "test/support/elf_builder.h"

namespace pgokit::dwarf {
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
  auto file = object::File::parse(image.bytes()).value();
  if (file.machine() != EM_X86_64) GTEST_SKIP() << "it is not for x86-64, whose tables are read";
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

void put32(std::string& out, u32 value) { out.append(reinterpret_cast<char*>(&value), 4); }

// A length, then `body`, padded to 8 with nops.
std::string entry(std::string body) {
  while ((body.size() + 4) % 8) body += '\0';
  std::string out;
  put32(out, static_cast<u32>(body.size()));
  return out + body;
}

constexpr u64 frames_at = 0x1000, code_at = 0x2000, header_at = 0x800;

// Code of 64 bytes at code_at: push rbp at its byte 1, mov rbp, rsp at its byte 4.
std::string frames_of(const std::string& letters) {
  using namespace std::string_literals;
  std::string out =
      entry("\0\0\0\0\x01"s + letters + "\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01"s);
  std::string body;
  put32(body, static_cast<u32>(out.size() + 4));
  put32(body, static_cast<u32>(code_at - (frames_at + out.size() + 8)));
  put32(body, 64);
  body += "\0\x41\x0e\x10\x86\x02\x43\x0d\x06"s;
  return out + entry(body);
}

std::string header_of(u64 entry_at) {
  std::string out = "\x01\x1b\x03\x3b";
  put32(out, static_cast<u32>(frames_at - header_at - 4));
  put32(out, 1);
  put32(out, code_at - header_at);
  put32(out, static_cast<u32>(entry_at - header_at));
  return out;
}

std::string image_of(const std::string& frames, const std::string& header) {
  test::ElfBuilder builder;
  if (!header.empty())
    builder.section(".eh_frame_hdr", header, {.flags = SHF_ALLOC, .address = header_at});
  builder.section(".eh_frame", frames, {.flags = SHF_ALLOC, .address = frames_at});
  builder.section(".text", std::string(64, '\x90'),
                  {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = code_at});
  return builder.image();
}

void expect_rows(const std::string& image) {
  auto file = object::File::parse(as_bytes(image)).value();
  auto table = CfiTable::find(file);
  ASSERT_TRUE(table);
  auto first = table->row_at(code_at), pushed = table->row_at(code_at + 1),
       framed = table->row_at(code_at + 4);
  ASSERT_TRUE(first && pushed && framed);
  EXPECT_EQ(first->cfa_offset, 8);
  EXPECT_FALSE(first->saved(CfiRow::rbp));
  EXPECT_EQ(pushed->cfa_offset, 16);
  EXPECT_EQ(pushed->offset[CfiRow::rbp], -16);
  EXPECT_EQ(framed->cfa_register, CfiRow::rbp);
  EXPECT_EQ(framed->offset[CfiRow::return_address], -8);
  EXPECT_FALSE(table->row_at(code_at - 1));
  EXPECT_FALSE(table->row_at(code_at + 64));
}

TEST(Cfi, FollowsAFunctionsInstructions) {
  auto frames = frames_of("zR");
  expect_rows(image_of(frames, ""));
  expect_rows(image_of(frames, header_of(frames_at + 24)));
}

TEST(Cfi, RefusesLongAugmentations) {
  auto image = image_of(frames_of("z" + std::string(100, 'R')), "");
  auto file = object::File::parse(as_bytes(image)).value();
  auto table = CfiTable::find(file);
  ASSERT_TRUE(table);
  EXPECT_FALSE(table->row_at(code_at));
}

// Damage gives no row, or another one, but nothing worse.
TEST(Cfi, SurvivesDamage) {
  auto image = MappedFile::open("/proc/self/exe").value();
  std::vector<u8> bytes(image.bytes().begin(), image.bytes().end());
  auto whole = object::File::parse(bytes).value();
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
    auto file = object::File::parse(bytes);
    ASSERT_TRUE(file);
    if (auto table = CfiTable::find(*file))
      for (u64 at = address; at < address + 2000; at += 64) table->row_at(at);
  }
}

}  // namespace
}  // namespace pgokit::dwarf
