#include "program/functions.h"

#include <gmock/gmock.h>

#include "base/cursor.h"
#include "test/support/elf_builder.h"

namespace pgokit::program {
namespace {

using testing::ElementsAre;

// Code from 0x1000 on; the caller adds symbols.
struct Symbols {
  explicit Symbols(test::ElfBuilder builder)
      : image(builder
                  .section(".text", std::string(0x100, '\x90'),
                           {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000})
                  .image()) {}

  std::string image;
  object::File file = *object::File::parse(as_bytes(image));
  CodeSymbols code{file};
};

dwarf::FunctionRange range(std::string_view name, u64 begin, u64 end) {
  return {.name = name, .begin = begin, .end = end};
}

TEST(FunctionTable, OneFunctionPerNameWithAllItsRanges) {
  Symbols symbols{test::ElfBuilder()};
  FunctionTable table(
      {range("f", 0x1040, 0x1050), range("g", 0x1020, 0x1030), range("f", 0x1000, 0x1010)},
      symbols.code, 0x1000);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.name(table.find(0x1005)->function), "f");
  EXPECT_EQ(table.find(0x1010), nullptr);
  EXPECT_EQ(table.find(0xfff), nullptr);
  EXPECT_EQ(table.starting_at(0x1021), nullptr);
  EXPECT_EQ(table.starting_at(0x1020)->end, 0x1030u);
  auto ranges = table.ranges_of(table.find(0x1000)->function);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].start, 0x1040u);  // in the order they were found
}

TEST(FunctionTable, RangesUnderTheCodeAndEmptyOnesAreNone) {
  Symbols symbols{test::ElfBuilder()};
  FunctionTable table({range("dropped", 0, 0x20), range("empty", 0x1000, 0x1000)}, symbols.code,
                      0x1000);
  EXPECT_EQ(table.find(0x10), nullptr);
  EXPECT_EQ(table.find(0x1000), nullptr);
}

TEST(FunctionTable, TheFirstOfSeveralAtOneAddressHasIt) {
  Symbols symbols{test::ElfBuilder()};
  FunctionTable table(
      {range("a", 0x1000, 0x1010), range("b", 0x1000, 0x1020), range("c", 0x1000, 0x1030)},
      symbols.code, 0x1000);
  EXPECT_EQ(table.name(table.find(0x1005)->function), "a");
  EXPECT_EQ(table.shared_starts(), 1u);
}

TEST(FunctionTable, CopiesOfOneFunctionShareNothing) {
  Symbols symbols{test::ElfBuilder()};
  FunctionTable table({range("a", 0x1000, 0x1010), range("a", 0x1000, 0x1010),
                       range("b", 0x1040, 0x1050), range("a", 0x1000, 0x1010)},
                      symbols.code, 0x1000);
  EXPECT_EQ(table.shared_starts(), 0u);
}

TEST(FunctionTable, EntriesOfFunctionsInSeveralParts) {
  Symbols symbols{test::ElfBuilder()
                      .symbol("f", 0x1000, 16, 1)
                      .symbol("f.cold", 0x1040, 16, 1)
                      .symbol("g.llvm.77", 0x1080, 16, 1)
                      .symbol("g.cold", 0x10a0, 16, 1)
                      .symbol("other", 0x10c0, 16, 1)};
  FunctionTable table(
      {range("f", 0x1000, 0x1010), range("f", 0x1040, 0x1050), range("g", 0x1080, 0x1090),
       range("g", 0x10a0, 0x10b0), range("single", 0x10c0, 0x10d0), range("none", 0x10e0, 0x10f0)},
      symbols.code, 0x1000);
  auto entry = [&](u64 address) { return table.is_entry(*table.find(address)); };
  EXPECT_TRUE(entry(0x1000));
  EXPECT_FALSE(entry(0x1040));
  EXPECT_TRUE(entry(0x1080));
  EXPECT_FALSE(entry(0x10a0));
  EXPECT_TRUE(entry(0x10c0));
  EXPECT_FALSE(entry(0x10e0));
  EXPECT_EQ(table.without_entry(), 1u);
}

TEST(FunctionTable, SymbolsAddWhatDebugInformationLacks) {
  Symbols symbols{test::ElfBuilder()
                      .symbol("known", 0x1000, 16, 1)
                      .symbol("plain.cold", 0x1040, 16, 1)
                      .symbol("alias", 0x1040, 16, 1)
                      .symbol("renamed", 0x1080, 16, 1)
                      .symbol("data", 0x10c0, 16, 1, STT_OBJECT)
                      .symbol("sizeless", 0x10e0, 0, 1)};
  FunctionTable table({range("known", 0x1000, 0x1010), range("source", 0x1080, 0x1090)},
                      symbols.code, 0x1000);
  table.add_from_symbols(symbols.file);
  const auto* added = table.find(0x1045);
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(table.name(added->function), "plain");
  EXPECT_TRUE(added->from_symbol);
  EXPECT_EQ(table.find(0x10c0), nullptr);
  EXPECT_EQ(table.find(0x10e0), nullptr);
  EXPECT_THAT(table.other_names(table.find(0x1080)->function), ElementsAre("renamed"));
  EXPECT_TRUE(table.other_names(table.find(0x1000)->function).empty());
  EXPECT_FALSE(table.has_trusted_name(table.find(0x1080)->function));
  EXPECT_TRUE(table.has_trusted_name(table.find(0x1000)->function));
}

TEST(FunctionTable, EverySymbolOfAFunctionIsAnotherName) {
  Symbols symbols{test::ElfBuilder()
                      .symbol("_ZL5localj.1", 0x1000, 16, 1)
                      .symbol("_ZL5localj.2", 0x1080, 16, 1)};
  FunctionTable table({range("local", 0x1000, 0x1010), range("local", 0x1080, 0x1090)},
                      symbols.code, 0x1000);
  table.add_from_symbols(symbols.file);
  EXPECT_THAT(table.other_names(0), ElementsAre("_ZL5localj.1", "_ZL5localj.2"));
}

}  // namespace
}  // namespace pgokit::program
