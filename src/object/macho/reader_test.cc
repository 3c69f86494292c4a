#include "object/macho/reader.h"

#include <gtest/gtest.h>

#include <cstring>

#include "object/file.h"
#include "object/macho/layout.h"

namespace pgokit::object {
namespace {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

macho::Section64 section(std::string_view segment, std::string_view name, u64 address, u32 offset,
                         u32 flags) {
  macho::Section64 out{};
  std::memcpy(out.segment, segment.data(), segment.size());
  std::memcpy(out.name, name.data(), name.size());
  out.address = address, out.size = 4, out.offset = offset, out.flags = flags;
  return out;
}

// A program: one segment with code and debug information, and two symbols in the code.
std::string program() {
  std::string commands, symbols;
  macho::Segment64 segment{};
  segment.address = 0x100000000, segment.memory_size = 0x1000, segment.file_size = 0x1000;
  segment.protection = 5, segment.sections = 2;
  std::string body =
      bytes_of(segment) +
      bytes_of(section("__TEXT", "__text", 0x100000400, 0x10, macho::pure_instructions)) +
      bytes_of(section("__DWARF", "__debug_str_offs", 0, 0x10, 0));
  u64 tables = 32 + 8 + body.size() + 8 + sizeof(macho::SymbolTable) + 8 + 16;
  macho::SymbolTable table{};
  table.symbols_offset = static_cast<u32>(tables), table.symbols = 2;
  table.strings_offset = static_cast<u32>(tables + 2 * sizeof(macho::Symbol64));
  table.strings_size = 16;
  auto add = [&](u32 type, const std::string& contents) {
    macho::Command command{type, static_cast<u32>(8 + contents.size())};
    commands += bytes_of(command) + contents;
  };
  add(macho::segment_64, body);
  add(macho::symbol_table, bytes_of(table));
  add(macho::uuid, "0123456789abcdef");
  for (u32 i : {0u, 1u}) {
    macho::Symbol64 symbol{};
    symbol.name = 1 + 6 * i, symbol.section = 1, symbol.value = 0x100000400 + 2 * i;
    symbol.type = static_cast<u8>(macho::in_section | (i ? macho::external : 0));
    symbols += bytes_of(symbol);
  }
  macho::Header header{};
  header.magic = macho::magic_64, header.cpu = macho::arm64, header.file_type = macho::execute;
  header.commands = 3, header.commands_size = static_cast<u32>(commands.size());
  return bytes_of(header) + std::string(4, '\0') + commands + symbols +
         std::string("\0_main\0_next\0\0\0", 16);
}

TEST(MachO, SectionsAndSymbols) {
  std::string image = program();
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->format(), Format::mach_o);
  EXPECT_EQ(file->machine(), EM_AARCH64);
  EXPECT_EQ(as_text(file->build_id()), "0123456789abcdef");
  ASSERT_TRUE(file->section("__text"));
  EXPECT_TRUE(file->section("__text")->is_code());
  EXPECT_TRUE(file->section(".debug_str_offsets"));
  auto symbols = file->symbols();
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0].name, "_main");
  EXPECT_EQ(symbols[0].size, 2u);
  EXPECT_TRUE(symbols[0].is_local);
  EXPECT_EQ(symbols[1].size, 2u);
  EXPECT_FALSE(symbols[1].is_local);
}

TEST(MachO, UniversalFilesAreRefused) {
  auto file = File::parse(as_bytes(std::string("\xca\xfe\xba\xbe\0\0\0\2", 8)));
  EXPECT_EQ(file.error().message,
            "a universal file of several machines: take one out of it (llvm-lipo -thin ARCH)");
  // A class of Java.
  EXPECT_FALSE(macho::recognizes(as_bytes(std::string("\xca\xfe\xba\xbe\0\0\0\x34", 8))));
}

TEST(MachO, Damaged) {
  std::string image = program();
  for (size_t i = 0; i < image.size(); ++i) {
    std::string part = image.substr(0, i);
    if (auto cut = File::parse(as_bytes(part))) (void)cut->symbols();
    for (char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = image;
      changed[i] = value;
      auto file = File::parse(as_bytes(changed));
      if (file) (void)file->symbols();
    }
  }
}

}  // namespace
}  // namespace pgokit::object
