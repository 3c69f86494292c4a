#include "samples/data_accesses.h"

#include <gtest/gtest.h>

#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::samples {
namespace {

// The tiny program, with two virtual tables behind its code.
program::Program program_with_tables(const test::ScratchDir& dir) {
  auto builder = test::tiny_program();
  builder.segment(PF_R, 0x2000, 0x402000, 0x1000)
      .section(".data", std::string(0x100, 'x'), {.flags = SHF_ALLOC, .address = 0x402000})
      .symbol("_ZTV1A", 0x402000, 0x20, 2, STT_OBJECT)
      .symbol("_ZTV1B", 0x402020, 0x20, 2, STT_OBJECT)
      .symbol("table", 0x402040, 0x20, 2, STT_OBJECT);
  dir.write("tiny", builder.image());
  auto program = program::Program::open(fmt::format("{}/tiny", dir.path()), {});
  EXPECT_TRUE(program.has_value());
  return std::move(*program);
}

std::string access(u64 ip, u64 address, int pid = 7) {
  return fmt::format(
      "1 0x8 [0x60]: PERF_RECORD_SAMPLE(IP, 0x4002): {}/7: {:#x} period: 9 addr: {:#x}\n", pid, ip,
      address);
}

std::string mapping(u64 start, u64 size, u64 offset, const char* protection, const char* path) {
  return fmt::format(
      "0 0x3 [0x80]: PERF_RECORD_MMAP2 7/7: [{:#x}({:#x}) @ {:#x} 08:01 1 1]: {} {}\n", start, size,
      offset, protection, path);
}

class DataAccesses : public testing::Test {
 protected:
  auto read(const std::string& text, const DataAccessOptions& options = {}) {
    return read_vtable_accesses(text, program_, options);
  }
  test::ScratchDir dir_;
  program::Program program_ = program_with_tables(dir_);
};

TEST_F(DataAccesses, AreCountedByInstructionAndTable) {
  auto found = read(access(0x401000, 0x402000) + access(0x401000, 0x40201f) + "noise\n" +
                    access(0x401000, 0x402020) + access(0x401002, 0x402000) +
                    access(0x401002, 0x402040) + access(0x401002, 0x402060));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found,
            (std::vector<VtableAccess>{
                {{0x401000}, "_ZTV1A", 2}, {{0x401000}, "_ZTV1B", 1}, {{0x401002}, "_ZTV1A", 1}}));
}

TEST_F(DataAccesses, AreMovedToWhereTheProgramWasLinked) {
  std::string text = mapping(0x70001000, 0x1000, 0x1000, "r-xp", "/bin/tiny") +
                     mapping(0x70002000, 0x1000, 0x2000, "r--p", "/bin/tiny") +
                     mapping(0x70002000, 0x1000, 0x2000, "r--p", "/bin/other") +
                     access(0x70001002, 0x70002020);
  auto found = read(text);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (std::vector<VtableAccess>{{{0x401002}, "_ZTV1B", 1}}));
  // What another file says of the code goes before.
  EXPECT_EQ(read(text, {.base = 0x70000000})->at(0).ip.value, 0x402002u);
}

TEST_F(DataAccesses, OfOtherProcessesAreLeftOut) {
  std::string text = access(1, 0x402000, 7) + access(2, 0x402000, 8);
  EXPECT_EQ(read(text, {.pid = 8})->size(), 1u);
}

TEST_F(DataAccesses, NeedLinesThatAreWhole) {
  for (const char* line :
       {"PERF_RECORD_SAMPLE", "PERF_RECORD_SAMPLE(IP, 0x1): 7/7: 0x1 period: 9",
        "PERF_RECORD_SAMPLE(I1, 0x1): 7/7: 0x1 period: 9 addr: 0x402000",
        "PERF_RECORD_SAMPLE(IP, 0x1): 7: 0x1 period: 9 addr: 0x402000",
        "PERF_RECORD_SAMPLE(IP, 0x1): 7/7: 0x11111111111111111 period: 9 addr: 0x402000"})
    EXPECT_TRUE(read(line)->empty()) << line;
}

TEST_F(DataAccesses, MappingsMustNotOverlap) {
  auto found = read(mapping(0x70002000, 0x1000, 0x2000, "r--p", "tiny") +
                    mapping(0x70002800, 0x1000, 0x2000, "rw-p", "tiny"));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().message,
            "Non-text mmap event overlaps with existing event at address: 70002800");
}

}  // namespace
}  // namespace pgokit::samples
