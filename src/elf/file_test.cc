#include "elf/file.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "base/cursor.h"
#include "test/support/elf_builder.h"

namespace pgokit::elf {
namespace {

using test::ElfBuilder;

std::string message(std::string_view image) { return File::parse(as_bytes(image)).error().message; }

TEST(ElfFile, WhatIsNoElfIsToldApart) {
  EXPECT_EQ(message(""), "not an ELF file");
  EXPECT_EQ(message("#!/bin/sh\n"), "not an ELF file");
  EXPECT_EQ(message("\x7f"
                    "ELF"),
            "cut short: its ELF header is not whole");
  std::string image = ElfBuilder().image();
  image[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(message(image), "big-endian ELF is not supported");
  image = ElfBuilder().image();
  image[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(message(image), "32-bit ELF is not supported");
}

TEST(ElfFile, CutShortIsAnError) {
  std::string image = ElfBuilder().section(".text", "code").image();
  image.resize(image.size() - 1);
  EXPECT_TRUE(message(image).starts_with("cut short: its section headers"));
}

TEST(ElfFile, SectionsSegmentsAndSymbols) {
  std::string image =
      ElfBuilder()
          .segment(PF_R | PF_X, 0x1000, 0x401000, 0x2000)
          .section(".text", "\x90\xc3", {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
          .symbol("main", 0x401000, 2, 1)
          .build_id("\x01\xab")
          .image();
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->section(".text"));
  EXPECT_TRUE(file->section(".text")->is_code());
  EXPECT_EQ(as_text(file->section(".text")->contents), "\x90\xc3");
  EXPECT_EQ(file->section(".data"), nullptr);
  ASSERT_EQ(file->segments().size(), 1u);
  EXPECT_TRUE(file->segments()[0].is_code());
  ASSERT_EQ(file->symbols().size(), 2u);
  EXPECT_EQ(file->symbols()[1].name, "main");
  EXPECT_EQ(file->symbols()[1].address, 0x401000u);
  EXPECT_EQ(hex(file->build_id()), "01ab");
}

TEST(ElfFile, SectionPastTheEndHasNoContents) {
  std::string image = ElfBuilder().section(".text", "code").image();
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  u64 too_large = ~u64{0};
  size_t size_field = header.e_shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size);
  std::memcpy(image.data() + size_field, &too_large, sizeof too_large);
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->section(".text")->contents.empty());
}

TEST(ElfFile, DamagedCompressionIsAnError) {
  Elf64_Chdr header{};
  header.ch_type = ELFCOMPRESS_ZLIB;
  header.ch_size = 1u << 30;
  std::string contents(reinterpret_cast<const char*>(&header), sizeof header);
  std::string image =
      ElfBuilder().section(".debug_info", contents + "junk", {.flags = SHF_COMPRESSED}).image();
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->contents(*file->section(".debug_info")).error().message,
            "section .debug_info: its compressed data is damaged");
}

}  // namespace
}  // namespace pgokit::elf
