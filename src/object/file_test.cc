#include "object/file.h"

#include <gtest/gtest.h>
#include <lzma.h>

#include <cstddef>
#include <cstring>

#include "base/cursor.h"
#include "test/support/elf_builder.h"

namespace pgokit::object {
namespace {

using test::ElfBuilder;
using test::SectionFields;

std::string message(std::string_view image) { return File::parse(as_bytes(image)).error().message; }

TEST(ElfFile, WhatIsNoElfIsToldApart) {
  EXPECT_EQ(message(""), "not an ELF, COFF or Mach-O file");
  EXPECT_EQ(message("#!/bin/sh\n"), "not an ELF, COFF or Mach-O file");
  EXPECT_EQ(message("\x7f"
                    "ELF"),
            "cut short: its ELF header is not whole");
  std::string image = ElfBuilder().image();
  image[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(message(image), "big-endian ELF is not supported");
  image = ElfBuilder().image();
  image[EI_CLASS] = 7;
  EXPECT_EQ(message(image), "ELF of class 7 is not supported: there are 32 and 64 bits");
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
  EXPECT_TRUE(file->segments()[0].executable);
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

// What objcopy and xz make of a program for .gnu_debugdata: its functions, and the headers of its
// sections under other numbers.
std::string embedded_symbols() {
  auto image = ElfBuilder()
                   .section(".other", "")
                   .section(".text", "", {.type = SHT_NOBITS, .address = 0x1000})
                   .symbol("inner", 0x1010, 8, 2)
                   .symbol("elsewhere", 0x2000, 8, 1)
                   .image();
  std::string packed(image.size() + 1000, '\0');
  size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, as_bytes(image).data(), image.size(),
                          reinterpret_cast<u8*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

TEST(ElfFile, EmbeddedSymbolsStandInForStrippedOnes) {
  auto packed = embedded_symbols();
  SectionFields code{.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000};
  std::string image =
      ElfBuilder().section(".text", "code", code).section(".gnu_debugdata", packed).image();
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->has_symtab());
  EXPECT_TRUE(file->has_symbols());
  File moved = std::move(*file);
  const Symbol* inner = nullptr;
  auto symbols = moved.symbols();
  for (const auto& symbol : symbols) {
    if (symbol.name == "inner") inner = &symbol;
    if (symbol.name == "elsewhere") {
      EXPECT_EQ(symbol.section, SHN_UNDEF);
    }
  }
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(inner->address, 0x1010u);
  EXPECT_EQ(inner->section, 1u);
  for (size_t size : {size_t{0}, size_t{7}, packed.size() / 2}) {
    std::string broken = ElfBuilder()
                             .section(".text", "code", code)
                             .section(".gnu_debugdata", packed.substr(0, size))
                             .image();
    EXPECT_FALSE(File::parse(as_bytes(broken))->has_symbols());
  }
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
            "section .debug_info: 4 compressed bytes cannot hold 1073741824");
}

}  // namespace
}  // namespace pgokit::object
