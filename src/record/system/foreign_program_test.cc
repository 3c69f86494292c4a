#include "record/system/foreign_program.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/types.h"
#include "test/support/shell.h"

namespace pgokit::record {
namespace {

struct Folder : test::ScratchDir {
  std::string file(const std::string& name, const std::string& contents) const {
    write(name, contents);
    return ScratchDir::file(name);
  }
};

std::string elf_head(u16 machine, u8 order = ELFDATA2LSB) {
  std::string head = ELFMAG;
  head += {ELFCLASS64, static_cast<char>(order)};
  head.resize(18);
  char low = static_cast<char>(machine), high = static_cast<char>(machine >> 8);
  head += order == ELFDATA2LSB ? std::string{low, high} : std::string{high, low};
  return head;
}

TEST(ForeignProgram, IsRefusedByItsProcessor) {
  Folder folder;
  Status status = check_processor(folder.file("arm", elf_head(EM_ARM + 1000)));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().exit_code, 126);
  EXPECT_NE(status.error().message.find("a program for machine 1040, and this is"),
            std::string::npos)
      << status.error().message;
}

TEST(ForeignProgram, OtherByteOrderIsRead) {
  Folder folder;
  Status status = check_processor(folder.file("big", elf_head(EM_RISCV, ELFDATA2MSB)));
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("RISC-V"), std::string::npos) << status.error().message;
}

TEST(ForeignProgram, WhatIsNoProgramIsLeftToExec) {
  Folder folder;
  EXPECT_TRUE(check_processor(folder.file("script", "echo hello\n")));
  EXPECT_TRUE(check_processor(folder.file("cut", elf_head(EM_RISCV).substr(0, 19))));
  EXPECT_TRUE(check_processor(folder.file("empty", "")));
  EXPECT_TRUE(check_processor(folder.path()));
  EXPECT_TRUE(check_processor("/no/such/file"));
  EXPECT_TRUE(check_processor("pgokit-no-such-command"));
}

// This program; others on the machine may be for another processor, where an emulator runs it.
TEST(ForeignProgram, ItsOwnProcessorIsNone) {
  Folder folder;
  EXPECT_TRUE(check_processor("/proc/self/exe"));
  std::filesystem::create_symlink(std::filesystem::read_symlink("/proc/self/exe"),
                                  folder.path() + "/own");
  std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  EXPECT_TRUE(check_processor("own"));
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace pgokit::record
