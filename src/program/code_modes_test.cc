#include "program/code_modes.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "program/code_map.h"
#include "test/support/elf_builder.h"

namespace pgokit::program {
namespace {

constexpr u64 start = 0x10000;

// bx lr; a word of data; bx lr in Thumb; bl 0x10000
const std::string code("\x1e\xff\x2f\xe1\x00\xbd\x70\x47\x70\x47\xff\xf7\xf9\xff\x00\x00", 16);

std::string arm_program(bool marks) {
  test::ElfBuilder builder;
  builder.machine(EM_ARM)
      .segment(PF_R | PF_X, 0, start, 0x1000)
      .section(".text", code,
               {.type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = start});
  builder.symbol("one", start, 8, 1).symbol("two", start + 9, 6, 1);
  if (marks) {
    builder.symbol("$a", start, 0, 1, STT_NOTYPE).symbol("$d", start + 4, 0, 1, STT_NOTYPE);
    builder.symbol("$t", start + 8, 0, 1, STT_NOTYPE);
  }
  return builder.image();
}

TEST(CodeModes, MappingSymbolsTell) {
  std::string image = arm_program(true);
  auto file = object::File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  CodeModes modes(*file);
  EXPECT_EQ(modes.at(start).mode, isa::Mode::usual);
  EXPECT_EQ(modes.at(start).end, start + 4);
  EXPECT_EQ(modes.at(start + 5).mode, isa::Mode::data);
  EXPECT_EQ(modes.at(start + 8).mode, isa::Mode::thumb);
  EXPECT_EQ(modes.at(start + 8).end, ~u64{0});
  EXPECT_EQ(modes.at(start + 4).of(as_bytes(code).subspan(4), start + 4).size(), 4u);
}

TEST(CodeModes, AddressesOfFunctionsTellWithoutThem) {
  std::string image = arm_program(false);
  auto file = object::File::parse(as_bytes(image));
  CodeModes modes(*file);
  EXPECT_EQ(modes.at(start + 5).mode, isa::Mode::usual);
  EXPECT_EQ(modes.at(start + 8).mode, isa::Mode::thumb);
  for (const auto& symbol : file->symbols())
    if (symbol.name == "two") {
      EXPECT_EQ(symbol.address, start + 8);
      EXPECT_TRUE(symbol.is_thumb);
    }
}

TEST(CodeModes, CodeMapFollowsThem) {
  std::string image = arm_program(true);
  auto file = object::File::parse(as_bytes(image));
  CodeSymbols symbols(*file);
  auto map = CodeMap::build(*file, symbols);
  ASSERT_TRUE(map);
  auto at = [&](u64 offset) { return map->index_of({start + offset}); };
  EXPECT_EQ(map->length(at(0)), 4u);
  EXPECT_TRUE(map->is_return(at(0)));
  EXPECT_FALSE(map->is_instruction(at(4)));
  EXPECT_FALSE(map->is_instruction(at(6)));
  EXPECT_EQ(map->length(at(8)), 2u);
  EXPECT_TRUE(map->is_return(at(8)));
  EXPECT_TRUE(map->is_call(at(10)));
  EXPECT_EQ(map->direct_target(at(10)).value, start);
}

TEST(CodeModes, OtherMachinesHaveOne) {
  std::string image = arm_program(true);
  image[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  auto file = object::File::parse(as_bytes(image));
  EXPECT_EQ(CodeModes(*file).at(start + 5).mode, isa::Mode::usual);
}

}  // namespace
}  // namespace pgokit::program
