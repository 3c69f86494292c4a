#include "program/probe_file.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "base/function_name.h"
#include "probe/section_builder.h"
#include "program/code_regions.h"
#include "test/support/elf_builder.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::program {
namespace {

std::string text_of(const probe::SectionBuilder& section) {
  return {reinterpret_cast<const char*>(section.bytes().data()), section.bytes().size()};
}

std::string descriptors() {
  probe::SectionBuilder out;
  return text_of(out.descriptor("main", 7).descriptor("leaf", 8));
}

std::string probes_of(std::string_view function) {
  probe::SectionBuilder out;
  return text_of(out.record(function, 1, 0).probe(1, 0, 0));
}

Result<ProbeFile> open(const test::ScratchDir& dir, const std::string& name,
                       const std::string& debug = {}) {
  return ProbeFile::open(dir.file(name), {.debug_path = debug.empty() ? "" : dir.file(debug)});
}

TEST(ProbeFile, OfALinkedProgram) {
  test::ScratchDir dir;
  dir.write("a", test::tiny_program()
                     .section(".pseudo_probe_desc", descriptors())
                     .section(".pseudo_probe", probes_of("main") + probes_of("leaf"))
                     .image());
  auto file = open(dir, "a");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->sections().size(), 1u);
  EXPECT_EQ(file->descriptors().list().size(), 2u);
  EXPECT_EQ(file->address_of(file->sections()[0])(function_guid("leaf")), 0x401010u);
  EXPECT_EQ(file->address_of(file->sections()[0])(function_guid("other")), std::nullopt);
  EXPECT_EQ(file->symbol_name(function_guid("leaf")), "leaf");
  EXPECT_EQ(file->code_file(), &file->main());
  EXPECT_GT(file->sections()[0].file_offset, 0u);
}

constexpr u64 code_flags = SHF_ALLOC | SHF_EXECINSTR;

// Two functions of the same name, each in a section of its own with its probes.
TEST(ProbeFile, ObjectsKeepTheirSectionsApart) {
  test::ScratchDir dir;
  dir.write("a.o",
            test::ElfBuilder()
                .type(ET_REL)
                .section(".text", std::string(20, '\x90'), {.flags = code_flags})
                .section(".text.f", std::string(8, '\x90'), {.flags = code_flags})
                .section(".pseudo_probe", probes_of("f"), {.flags = SHF_LINK_ORDER, .link = 1})
                .section(".pseudo_probe", probes_of("f"), {.flags = SHF_LINK_ORDER, .link = 2})
                .symbol("f", 4, 4, 1)
                .symbol("f", 2, 4, 2)
                .image());
  auto file = open(dir, "a.o");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->sections().size(), 2u);
  u64 guid = function_guid("f");
  EXPECT_EQ(file->address_of(file->sections()[0])(guid), 4u);
  EXPECT_EQ(file->address_of(file->sections()[1])(guid), 34u);
}

TEST(ProbeFile, SymbolsMayBeInADebugFile) {
  test::ScratchDir dir;
  auto program = [] { return test::ElfBuilder().build_id("12345678"); };
  dir.write("main", program()
                        .section(".text", "\x90", {.flags = code_flags, .address = 0x1000})
                        .section(".gnu_debuglink", std::string("debug\0\0\0\0\0\0\0", 12))
                        .image());
  dir.write("debug", program()
                         .section(".text", "", {.type = SHT_NOBITS, .flags = code_flags})
                         .section(".pseudo_probe", probes_of("f"))
                         .symbol("f", 0x1000, 1, 2)
                         .image());
  dir.write("other", test::ElfBuilder().build_id("87654321").section(".x", "x").image());
  for (const auto& file : {open(dir, "main"), open(dir, "main", "debug")}) {
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->debug_path(), dir.file("debug"));
    EXPECT_EQ(file->address_of(file->sections()[0])(function_guid("f")), 0x1000u);
    EXPECT_EQ(file->code_file(), &file->main());
  }
  auto wrong = open(dir, "main", "other");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("another build"), std::string::npos);
  auto alone = open(dir, "debug");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->code_file(), nullptr);
}

TEST(ProbeFile, WithoutProbesIsAnError) {
  test::ScratchDir dir;
  dir.write("a", test::tiny_program().image());
  dir.write("text", "hello");
  auto file = open(dir, "a");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("-fpseudo-probe-for-profiling"), std::string::npos);
  EXPECT_FALSE(open(dir, "text"));
  EXPECT_FALSE(open(dir, "missing"));
  EXPECT_FALSE(open(dir, "."));
}

std::vector<std::string> listed(const object::File& file, RegionRules rules) {
  std::vector<std::string> out;
  object::Layout layout(file);
  auto symbols = file.symbols();
  for (const auto& one : code_regions({file, layout, symbols}, rules))
    out.push_back(
        fmt::format("{} {} {:x}+{}", one.section->name, one.symbol, one.address, one.code.size()));
  return out;
}

TEST(CodeRegions, CutAtSymbols) {
  std::string image =
      test::ElfBuilder()
          .section(".text", std::string(16, '\x90'), {.flags = code_flags, .address = 0x100})
          .section(".plt", std::string(4, '\x90'), {.flags = code_flags, .address = 0x200})
          .section(".data", std::string(4, 'x'), {.flags = SHF_ALLOC, .address = 0x300})
          .symbol("b", 0x104, 4, 1)
          .symbol("a", 0x104, 4, 1)
          .symbol("$x", 0x106, 0, 1, STT_NOTYPE)
          .symbol("late", 0x10a, 4, 1)
          .symbol("outside", 0x110, 4, 1)
          .symbol("data", 0x300, 4, 3)
          .image();
  auto file = object::File::parse(as_bytes(image));
  ASSERT_TRUE(file);
  EXPECT_EQ(listed(*file, RegionRules::all),
            (std::vector<std::string>{".text  100+4", ".text a 104+0", ".text b 104+6",
                                      ".text late 10a+6", ".plt  200+4"}));
  EXPECT_EQ(listed(*file, RegionRules::as_peer),
            (std::vector<std::string>{".text a 104+0", ".text b 104+2", ".text $x 106+4",
                                      ".text late 10a+6"}));
}

}  // namespace
}  // namespace pgokit::program
