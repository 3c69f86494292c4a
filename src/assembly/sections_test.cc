#include "assembly/sections.h"

#include <gmock/gmock.h>

namespace pgokit::assembly {
namespace {

using ::testing::ElementsAre;

// For each label in `text` the directive of its section.
std::vector<std::string> directives(std::string_view text) {
  std::vector<std::string> out;
  StatementReader reader(text, Dialect::x86);
  SectionTracker sections;
  for (Statement one; reader.next(one);) {
    if (one.is_label()) out.push_back(sections.list()[sections.current()].directive);
    sections.apply(one);
  }
  return out;
}

TEST(Sections, BeginInText) { EXPECT_THAT(directives("a:"), ElementsAre(".text")); }

TEST(Sections, OfShortForms) {
  EXPECT_THAT(directives(".data; a: .TEXT 1; b: .bss; c: .section .text; d:"),
              ElementsAre(".data", ".text", ".bss", ".text"));
}

TEST(Sections, KeepWhatTheyAreDeclaredWith) {
  EXPECT_THAT(directives(R"(
    .section .text.f , "axG" , @progbits, f, comdat; a:
    .pushsection .rodata.str, 2, "aMS",@progbits,1; b:
    .popsection; c:
    .section ".text.a b","ax",@progbits,unique,7; d:
    .section .text.g,"axo",@progbits,f,unique,1; e:)"),
              ElementsAre(".section .text.f,\"axG\",@progbits,f, comdat",
                          ".section .rodata.str,\"aMS\",@progbits,1",
                          ".section .text.f,\"axG\",@progbits,f, comdat",
                          ".section \".text.a b\",\"ax\",@progbits,unique,7",
                          ".section .text.g,\"axo\",@progbits,f,unique,1"));
}

TEST(Sections, AreEnteredAgain) {
  SectionTracker sections;
  auto enter = [&](std::string_view operands) {
    EXPECT_TRUE(sections.apply({.label = {}, .name = ".section", .operands = operands}));
    return sections.current();
  };
  u32 g = enter(".text.g,\"axG\",@progbits,g,comdat");
  u32 h = enter(".text.g,\"axG\",@progbits,h,comdat");
  u32 plain = enter(".text.g,\"ax\",@progbits");
  u32 one = enter(".text.g,\"ax\",@progbits,unique,1");
  EXPECT_EQ(std::set({g, h, plain, one}).size(), 4u);
  EXPECT_EQ(enter(".text.g , \"axG\", @progbits, g,comdat"), g);
  EXPECT_EQ(enter(".text.g"), plain);
  EXPECT_EQ(enter(".text.g,\"ax\",@progbits,unique,1"), one);
  EXPECT_EQ(sections.list()[h].group, "h,comdat");
  EXPECT_EQ(sections.list()[plain].group, "");
}

TEST(Sections, FollowTheStackAndPrevious) {
  EXPECT_THAT(
      directives(".data; .previous; a: .previous; b: .pushsection .bss; c: .previous; d:"
                 ".popsection; e: .previous; f: .popsection; g: .subsection 3; h: .previous; i:"),
      ElementsAre(".text", ".data", ".section .bss", ".data", ".data", ".text", ".text", ".text",
                  ".text"));
}

TEST(Sections, OfTheGroupOfTheLast) {
  EXPECT_THAT(
      directives(R"(.section .text.f,"axG",@progbits,f,comdat
                            .section .rodata.f,"a?",@progbits; a:
                            .data; .section .rodata.g,"a?"; b:)"),
      ElementsAre(".section .rodata.f,\"aG\",@progbits,f,comdat", ".section .rodata.g,\"a\""));
}

TEST(Sections, HoldCodeOrNot) {
  auto content = [](std::string_view operands) {
    SectionTracker sections;
    sections.apply({.label = {}, .name = ".section", .operands = operands});
    return sections.list()[sections.current()].content;
  };
  EXPECT_EQ(content(".text.hot"), Content::code);
  EXPECT_EQ(content("mine,\"ax\""), Content::code);
  EXPECT_EQ(content("mine"), Content::unknown);
  EXPECT_EQ(content("mine,\"0x6\""), Content::unknown);
  EXPECT_EQ(content("mine,\"a\",@progbits"), Content::other);
  EXPECT_EQ(content(".debug_info"), Content::other);
  EXPECT_EQ(content(".rodata.x"), Content::other);
}

TEST(Sections, OfBrokenText) {
  EXPECT_THAT(directives(".section .text.x,\"ax\na:"), ElementsAre(".text"));
  for (std::string_view text :
       {".section", ".section ,", ".section a,\"", ".section a,\"G", ".section \"", ".pushsection",
        ".popsection", ".previous", ".section a,\"MGo\"", ".section a,\"?\"",
        ".section a,\"Go\",@progbits,x"})
    EXPECT_EQ(directives(std::string(text) + "\na:").size(), 1u) << text;
}

}  // namespace
}  // namespace pgokit::assembly
