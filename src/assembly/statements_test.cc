#include "assembly/statements.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace pgokit::assembly {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "LINE label:" and "LINE directive|operands".
std::vector<std::string> statements(std::string_view text, Dialect dialect = Dialect::x86) {
  std::vector<std::string> out;
  StatementReader reader(text, dialect);
  for (Statement one; reader.next(one);) {
    std::string said = one.is_label() ? std::string(one.label) + ":"
                                      : std::string(one.name) + "|" + std::string(one.operands);
    out.push_back(std::to_string(one.line) + " " + said);
  }
  return out;
}

TEST(Statements, OfOneLine) {
  EXPECT_THAT(statements("a: b : .text; nop; .loc 1 2 3 # rest; .data\n"),
              ElementsAre("1 a:", "1 b:", "1 .text|", "1 .loc|1 2 3"));
}

TEST(Statements, HaveTheLineTheyBeginIn) {
  EXPECT_THAT(statements("\n\tnop\n.byte 1 /* one\ntwo */, 2\r\nf:\n  .data"),
              ElementsAre("3 .byte|1 /* one\ntwo */, 2", "5 f:", "6 .data|"));
}

TEST(Statements, KnowComments) {
  EXPECT_THAT(statements("# .a; .b\n  # .c\n/ .d\n// .e\n/* .f */ .g // .h; .i\n#APP\n.j#k\n"),
              ElementsAre("5 .g|", "7 .j|"));
}

TEST(Statements, TakeHashForAnImmediateOnAArch64) {
  std::string_view text = "\tadd x0, x0, #1; .data // #; .text\n# .bss\nmov w0, #';'\n; .a\n";
  EXPECT_THAT(statements(text, Dialect::aarch64), ElementsAre("1 .data|", "4 .a|"));
  EXPECT_THAT(statements(text, Dialect::x86), ElementsAre("4 .a|"));
}

TEST(Statements, KnowStringsAndCharacters) {
  EXPECT_THAT(statements(".ascii \"; .a # \\\" /*\", \"x\" ; .b\n"),
              ElementsAre("1 .ascii|\"; .a # \\\" /*\", \"x\"", "1 .b|"));
  EXPECT_THAT(statements("cmpb $';, %al; .a\n.byte '\\'', '\"', '#; .b\n"),
              ElementsAre("1 .a|", "2 .byte|'\\'', '\"', '#", "2 .b|"));
}

TEST(Statements, KnowQuotedSymbols) {
  EXPECT_THAT(statements("\"a; b\": .type \"a; b\",@function\n"),
              ElementsAre("1 \"a; b\":", "1 .type|\"a; b\",@function"));
  EXPECT_EQ(without_quotes("\"a; b\""), "a; b");
  EXPECT_EQ(without_quotes("\""), "\"");
}

TEST(Statements, CountWhatIsNone) {
  std::string_view text = "nop; lock; x = 5\n. = . + 8\n{vex} vpxor %xmm0, %xmm0, %xmm0\n.text\n";
  StatementReader reader(text, Dialect::x86);
  Statement one;
  ASSERT_TRUE(reader.next(one));
  EXPECT_EQ(one.name, ".text");
  EXPECT_EQ(reader.instructions(), 5u);
  EXPECT_FALSE(reader.next(one));
}

TEST(Statements, OfTextThatBreaksOff) {
  EXPECT_THAT(statements(""), IsEmpty());
  EXPECT_THAT(statements(".ascii \"abc"), ElementsAre("1 .ascii|\"abc"));
  EXPECT_THAT(statements(".ascii \"abc\\"), ElementsAre("1 .ascii|\"abc\\"));
  EXPECT_THAT(statements(".byte '"), ElementsAre("1 .byte|'"));
  EXPECT_THAT(statements(".byte '\\"), ElementsAre("1 .byte|'\\"));
  EXPECT_THAT(statements(".ascii \"abc\n.text"), ElementsAre("1 .ascii|\"abc", "2 .text|"));
  StatementReader reader(".text /* ", Dialect::x86);
  Statement one;
  EXPECT_TRUE(reader.next(one));
  EXPECT_TRUE(reader.in_comment());
}

TEST(Dialect, IsGuessedByOperands) {
  EXPECT_EQ(guess_dialect("\tmovq %rax, %rbx\n"), Dialect::x86);
  EXPECT_EQ(guess_dialect("f:\n\t.intel_syntax noprefix\n\tmov eax, 1\n"), Dialect::x86);
  EXPECT_EQ(guess_dialect("f:\n\tstp\tx29, x30, [sp, #-16]!\n\tmov w0, #1\n"), Dialect::aarch64);
  EXPECT_EQ(guess_dialect("\t.asciz \"mov w0, #1\"\n"), Dialect::x86);
  EXPECT_EQ(guess_dialect(""), Dialect::x86);
}

TEST(Directives, AreEqualInAnyCase) {
  EXPECT_TRUE(is_directive(".Section", ".section"));
  EXPECT_FALSE(is_directive(".sections", ".section"));
  EXPECT_FALSE(is_directive("", ".section"));
}

}  // namespace
}  // namespace pgokit::assembly
