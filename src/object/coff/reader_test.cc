#include "object/coff/reader.h"

#include <gtest/gtest.h>

#include "object/file.h"
#include "object/relocations.h"
#include "test/support/coff_builder.h"

namespace pgokit::object {
namespace {

using test::CoffBuilder;

constexpr u32 code = coff::has_code | coff::is_executable, data = 0x40;

TEST(Coff, IsToldFromOtherBytes) {
  EXPECT_FALSE(coff::recognizes(as_bytes("")));
  EXPECT_FALSE(coff::recognizes(as_bytes("\x64\x86\xff\xff of some text that is long enough")));
  EXPECT_TRUE(coff::recognizes(as_bytes(CoffBuilder().section(".text", "\xc3", code).image())));
  EXPECT_EQ(File::parse(as_bytes("MZ")).error().message, "cut short: its PE header is not whole");
  std::string program = CoffBuilder().image_base(0x10000).section(".text", "\xc3", code).image();
  program[0x40] = 'N';
  EXPECT_EQ(File::parse(as_bytes(program)).error().message, "a DOS program: it has no PE header");
}

TEST(Coff, SectionsAndSymbolsOfAnObject) {
  std::string image = CoffBuilder()
                          .section(".text", "\x90\x90\xc3", code)
                          .section(".pseudo_probe", "probes", data)
                          .associate(".pseudo_probe", 2, 1)
                          .symbol("f", 0, 1)
                          .symbol("a_name_of_more_than_eight", 2, 1)
                          .symbol("undefined", 0, 0)
                          .symbol("absolute", 7, 0xffff)
                          .image();
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->format(), Format::coff);
  EXPECT_TRUE(file->is_relocatable());
  EXPECT_EQ(file->machine(), EM_X86_64);
  const auto* probes = file->section(".pseudo_probe");
  ASSERT_TRUE(probes);
  EXPECT_EQ(as_text(probes->contents), "probes");
  EXPECT_EQ(probes->code, 1u);
  EXPECT_TRUE(file->sections()[1].is_code());
  auto symbols = file->symbols();
  ASSERT_EQ(symbols.size(), 5u);  // records that belong to another one do not count
  EXPECT_EQ(symbols[0].kind, SymbolKind::section);
  EXPECT_EQ(symbols[1].name, "f");
  EXPECT_EQ(symbols[1].size, 2u);  // to the next one
  EXPECT_EQ(symbols[2].name, "a_name_of_more_than_eight");
  EXPECT_EQ(symbols[2].size, 1u);  // to the end
  EXPECT_EQ(symbols[3].section, 0u);
  EXPECT_EQ(symbols[4].section, reserved_section);
}

TEST(Coff, AddressesOfAnImage) {
  std::string image = CoffBuilder()
                          .image_base(0x140000000)
                          .section(".text", std::string(16, '\x90'), code, 0x1000)
                          .symbol("f", 4, 1)
                          .image();
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->kind(), Kind::movable);
  EXPECT_EQ(file->image_base(), 0x140000000u);
  EXPECT_EQ(file->section(".text")->address, 0x140001000u);
  EXPECT_EQ(file->symbols()[0].address, 0x140001004u);
  ASSERT_EQ(file->segments().size(), 1u);
  EXPECT_TRUE(file->segments()[0].executable);
}

TEST(Coff, RelocationsNameSymbolsAndHaveTheirAddendsInPlace) {
  std::string image =
      CoffBuilder()
          .section(".text", "\xc3", code)
          .section("table", std::string("\5\0\0\0\0\0\0\0", 8), data, 0, {{0, 2, 1}})
          .associate("table", 2, 1)
          .symbol("f", 0x10, 1)
          .image();
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file) << file.error().message;
  Relocations relocations(*file);
  auto found = relocations.of(*file->section("table"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].symbol, 1u);
  EXPECT_EQ(found[0].addend, 5);
  auto bytes = relocations.apply(*file->section("table"), Layout(*file), file->symbols());
  ASSERT_TRUE(bytes);
  EXPECT_EQ((*bytes)[0], 0x15);
}

// No cut and no changed byte makes more than an error of it.
TEST(Coff, Damaged) {
  std::string image = CoffBuilder()
                          .image_base(0x10000)
                          .section(".text", "\xc3", code, 0x1000)
                          .section("a_section_of_a_long_name", "x", data, 0x2000)
                          .associate("x", 2, 1)
                          .symbol("a_name_of_more_than_eight", 0, 1)
                          .image();
  for (size_t i = 0; i < image.size(); ++i) {
    std::string part = image.substr(0, i);
    if (auto cut = File::parse(as_bytes(part))) (void)cut->symbols();
    for (char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = image;
      changed[i] = value;
      auto file = File::parse(as_bytes(changed));
      if (!file) continue;
      (void)file->symbols();
      for (const auto& section : file->sections()) (void)Relocations(*file).of(section);
    }
  }
}

}  // namespace
}  // namespace pgokit::object
