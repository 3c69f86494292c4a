#include "order/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "order/placement.h"
#include "test/support/elf_builder.h"
#include "test/support/shell.h"

namespace pgokit::order {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string file_with(const std::string& name, std::string_view contents) {
  static const test::ScratchDir scratch;
  scratch.write(name, contents);
  return scratch.file(name);
}

std::string program(const std::vector<std::pair<std::string, u64>>& symbols) {
  test::ElfBuilder elf;
  elf.section(".text", std::string(0x100, '\x90'),
              {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000});
  for (const auto& [name, address] : symbols) elf.symbol(name, address, 16, 1);
  return elf.image();
}

TEST(LinkBaseName, LosesWhatCompilersAppend) {
  EXPECT_EQ(link_base_name("f.llvm.123"), "f");
  EXPECT_EQ(link_base_name("f.part.0.isra.1"), "f");
  EXPECT_EQ(link_base_name("f.constprop.0"), "f");
  EXPECT_EQ(link_base_name("f.lto_priv.3.llvm.9"), "f");
  EXPECT_EQ(link_base_name("f.cold"), "f.cold");
  EXPECT_EQ(link_base_name("f.part.2.cold.1"), "f.cold");
  EXPECT_EQ(link_base_name("f.__uniq.5"), "f.__uniq.5") << "tells static functions apart";
  EXPECT_EQ(link_base_name(".llvm.1"), ".llvm.1");
  EXPECT_EQ(link_base_name(""), "");
  EXPECT_EQ(link_base_name("f.1"), "f.1");
}

TEST(LinkSymbols, ExactNamesComeBeforeThoseOfTheSameBase) {
  LinkSymbols symbols;
  ASSERT_TRUE(symbols.add(
      file_with("base", program({{"f", 0x1000}, {"f.llvm.2", 0x1010}, {"f.part.0", 0x1020}}))));
  symbols.finish();
  auto names = [&](const Match& match) {
    std::vector<std::string_view> list;
    for (u32 i : match.symbols) list.push_back(symbols.all()[i].name);
    return list;
  };
  EXPECT_EQ(symbols.match("f").found, Found::exactly);
  EXPECT_THAT(names(symbols.match("f")), ElementsAre("f"));
  EXPECT_EQ(symbols.match("f.llvm.77").found, Found::by_base);
  EXPECT_THAT(names(symbols.match("f.llvm.77")), ElementsAre("f", "f.llvm.2", "f.part.0"));
  EXPECT_EQ(symbols.match("f.cold").found, Found::not_there);
  EXPECT_THAT(symbols.match("g").symbols, IsEmpty());
}

TEST(LinkSymbols, RefusesWhatHasNoFunctions) {
  LinkSymbols symbols;
  auto refused = [&](const std::string& name, std::string_view contents, const char* why) {
    auto status = symbols.add(file_with(name, contents));
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr(why));
  };
  refused("empty", "", "empty");
  refused("cut", "!<arch>\nf.o/", "cut: the archive has no member at offset 0x8");
  refused("bitcode", "BC\xc0\xde....", "bitcode: the bitcode is damaged");
  refused("text", "main\n", "neither a program, an object file, bitcode nor an archive");
  refused("stripped", program({}), "no symbols of functions");
  EXPECT_FALSE(symbols.add("/nowhere"));
  EXPECT_TRUE(symbols.add(file_with("archive", "!<arch>\n")));
  EXPECT_TRUE(symbols.empty());
}

TEST(Placement, TheLinkDecidesSizesAndWhatIsThere) {
  LinkSymbols symbols;
  ASSERT_TRUE(symbols.add(file_with("placed", program({{"a", 0x1040}, {"b.llvm.9", 0x1000}}))));
  symbols.finish();
  Model model;
  u32 a = model.function("a"), b = model.function("b.llvm.1"), gone = model.function("gone");
  model.functions[a].size = 5000;
  model.traces.push_back({.functions = {gone, b, a}});
  model.calls = {{a, b, 1}, {gone, a, 2}};
  Placement placement(model, symbols);
  placement.adopt(model);
  EXPECT_THAT(placement.facts().missing, ElementsAre(gone));
  EXPECT_EQ(placement.facts().exactly, 1u);
  EXPECT_EQ(placement.facts().by_base, 1u);
  EXPECT_EQ(model.functions[a].size, 16u);
  EXPECT_EQ(model.functions[a].address, 0x1040u);
  EXPECT_THAT(model.traces[0].functions, ElementsAre(b, a));
  EXPECT_THAT(model.calls, ElementsAre(Call{a, b, 1}));
  auto placed = placement.symbols_of(model.traces[0].functions, model);
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_EQ(placed[0].name, "b.llvm.9");
  EXPECT_EQ(placement.layout().functions[b].begin, 0x1000u);
  EXPECT_FALSE(placement.layout().functions[gone].is_there());
}

TEST(Placement, StaticFunctionsOfAnotherCheckoutAreFound) {
  LinkSymbols symbols;
  ASSERT_TRUE(symbols.add(file_with("paths", program({{"init.__uniq.7", 0x1040},
                                                      {"run.__uniq.7.llvm.3", 0x1000},
                                                      {"init.__uniq.8", 0x1020}}))));
  symbols.finish();
  Model model;
  u32 init = model.function("init.__uniq.1"), run = model.function("run.__uniq.1.llvm.9"),
      gone = model.function("stop.__uniq.1");
  model.traces.push_back({.functions = {run, init, gone}});
  Placement placement(model, symbols);
  EXPECT_EQ(placement.facts().by_path, 2u);
  EXPECT_THAT(placement.facts().missing, ElementsAre(gone));
  auto placed = placement.symbols_of(std::vector<u32>{run, init}, model);
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_EQ(placed[0].name, "run.__uniq.7.llvm.3");
  EXPECT_EQ(placed[1].name, "init.__uniq.7");
}

TEST(Placement, WithoutALinkNamesAreTakenAsTheyStand) {
  LinkSymbols symbols;
  symbols.finish();
  Model model;
  u32 f = model.function("f.llvm.1");
  model.calls = {{f, f, 1}};
  Placement placement(model, symbols);
  placement.adopt(model);
  auto placed = placement.symbols_of(std::vector<u32>{f}, model);
  ASSERT_EQ(placed.size(), 1u);
  EXPECT_EQ(placed[0].name, "f.llvm.1");
  EXPECT_EQ(placement.calls_of(model).size(), 1u);
}

}  // namespace
}  // namespace pgokit::order
