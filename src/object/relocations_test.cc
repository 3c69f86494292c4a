#include "object/relocations.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "test/support/elf_builder.h"

namespace pgokit::object {
namespace {

std::string entry(u64 offset, u32 type, u32 symbol, i64 addend) {
  Elf64_Rela one{offset, ELF64_R_INFO(u64{symbol}, type), addend};
  return {reinterpret_cast<const char*>(&one), sizeof one};
}

// Two code sections (1 and 2), data with relocations (3, 4).
std::string object_with(const std::string& relocations, u16 type = ET_REL) {
  constexpr u64 code = SHF_ALLOC | SHF_EXECINSTR;
  return test::ElfBuilder()
      .type(type)
      .section(".text", std::string(20, '\x90'), {.flags = code, .address = 0x400})
      .section(".text.f", std::string(8, '\x90'), {.flags = code, .address = 0x500})
      .section(".probes", std::string(16, 'x'))
      .section(".rela.probes", relocations, {.type = SHT_RELA, .info = 3})
      .symbol("f", 4, 4, 2)
      .image();
}

TEST(Layout, PutsSectionsOfObjectsOneBehindTheOther) {
  std::string image = object_with("");
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  Layout layout(*file);
  EXPECT_TRUE(layout.is_relocatable());
  EXPECT_EQ(layout.address_of(*file->section(".text.f")), 32u);
  EXPECT_EQ(layout.address_of(file->symbols()[1]), 36u);
  auto place = layout.place_of(36);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->section->name, ".text.f");
  EXPECT_EQ(place->offset, 4u);
  EXPECT_FALSE(layout.place_of(1000));
}

TEST(Layout, KeepsTheAddressesOfLinkedFiles) {
  std::string image = object_with("", ET_EXEC);
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  Layout layout(*file);
  EXPECT_EQ(layout.address_of(*file->section(".text.f")), 0x500u);
  EXPECT_EQ(layout.address_of(file->symbols()[1]), 4u);
  EXPECT_EQ(layout.place_of(0x410)->offset, 0x10u);
  EXPECT_FALSE(layout.place_of(0x3ff));
}

TEST(Relocations, AbsoluteOnesAreCarriedOut) {
  std::string image = object_with(entry(8, R_X86_64_64, 1, 2) + entry(0, R_X86_64_64, 9, 5));
  auto file = File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  Relocations relocations(*file);
  const Section& probes = *file->section(".probes");
  ASSERT_EQ(relocations.of(probes).size(), 2u);
  EXPECT_EQ(relocations.of(probes)[0].offset, 0u);
  auto bytes = relocations.apply(probes, Layout(*file), file->symbols());
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ((*bytes)[8], 38);  // the place of f and 2
  EXPECT_EQ((*bytes)[0], 5);   // there is no symbol 9
  EXPECT_FALSE(relocations.any(*file->section(".text")));
}

TEST(Relocations, OthersAndSuchPastTheEndAreErrors) {
  for (const auto& [one, message] :
       {std::pair(entry(8, R_X86_64_PC32, 1, 0), "type 2"),
        std::pair(entry(9, R_X86_64_64, 1, 0), "past its end"),
        std::pair(entry(~u64{0}, R_X86_64_64, 1, 0), "past its end")}) {
    std::string image = object_with(one);
    auto file = File::parse(as_bytes(image));
    ASSERT_TRUE(file);
    auto bytes =
        Relocations(*file).apply(*file->section(".probes"), Layout(*file), file->symbols());
    ASSERT_FALSE(bytes);
    EXPECT_NE(bytes.error().message.find(message), std::string::npos) << bytes.error().message;
  }
}

}  // namespace
}  // namespace pgokit::object
