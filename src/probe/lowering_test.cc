#include "probe/lowering.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace pgokit::probe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string lowered(std::string_view text, LoweringOptions options = {}) {
  auto lowering = Lowering::read(text, "a.s", options);
  if (!lowering) return "error: " + lowering.error().message;
  std::string out;
  lowering->write([&](std::string_view piece) { out += piece; });
  return out;
}

constexpr std::string_view descriptor_5 =
    "\t.section .pseudo_probe_desc,\"\",@progbits\n\t.quad 5\n\t.quad 17\n\t.byte 1\n\t.ascii "
    "\"f\"\n";

// `text` with a descriptor of function 5.
std::string described(std::string_view text) {
  return std::string(text) + std::string(descriptor_5);
}

TEST(Lowering, LeavesTextWithoutProbesAlone) {
  for (std::string_view text :
       {"", "nop", "f:\n\tret # .pseudoprobe 1\n", "\t.ascii \".pseudoprobe 1\"\n",
        "/* .pseudoprobe\n.pseudoprobe */\n", ".macro m\nx:\n"})
    EXPECT_EQ(lowered(text), text);
}

TEST(Lowering, ReplacesDirectivesAndAddsTheSection) {
  EXPECT_EQ(
      lowered(described("f:\n\t.pseudoprobe\t5 1 0 0 f # first\n\t.loc 1 2 3\n"
                        "\t.pseudoprobe 5 2 0 0 f\n\tnop; .pseudoprobe 5 3 2 0 f ; call g\r\n")),
      described("f:\n\t.Lprobe0: # first\n\t.loc 1 2 3\n"
                "\t\n\tnop; .Lprobe1: ; call g\r\n") +
          "\t.text\n\t.section\t.pseudo_probe,\"o?\",@progbits,.Lprobe0\n"
          "\t.quad\t5\n\t.byte\t4,0,0,32\n\t.quad\t14740650423002898831\n\t.byte\t1,128\n"
          "\t.sleb128\t-(f-.Lprobe0)\n\t.byte\t2,128,0,3,130\n\t.sleb128\t-(.Lprobe0-.Lprobe1)\n");
}

TEST(Lowering, MarksEachPlaceOnce) {
  std::string text =
      lowered(described("f: .pseudoprobe 5 1 0 0 f\n.byte 1\n.pseudoprobe 5 2 0 0 f\n\n# no "
                        "code\ng:\n.pseudoprobe 5 3 0 0 f\n"
                        ".p2align 4\n.pseudoprobe 5 4 0 0 f\n.text\n.pseudoprobe 5 5 0 0 f\n"));
  EXPECT_THAT(text, StartsWith("f: .Lprobe0:\n.byte 1\n.Lprobe1:\n\n# no code\ng:\n\n"
                               ".p2align 4\n.Lprobe2:\n.text\n.Lprobe3:\n"));
}

// The example of the document that brought probes to LLVM; its directives have no symbols.
TEST(Lowering, TakesDirectivesOfTheFirstCompilers) {
  std::string text = lowered(R"(
foo2:
	pushq %rax
	.pseudoprobe 837061429793323041 1 0 0
	je .LBB1_1
	.pseudoprobe 6699318081062747564 1 0 @ 837061429793323041:6
	.pseudoprobe 837061429793323041 4 0
	retq
.LBB1_1:
	.pseudoprobe 837061429793323041 5 1 0
	callq *%rsi
	retq
	.section .pseudo_probe_desc,"",@progbits
	.quad 6699318081062747564
	.quad 72617220756
	.byte 3
	.ascii "foo"
	.quad 837061429793323041
	.quad 281547593931412
	.byte 4
	.ascii "foo2"
)");
  EXPECT_THAT(text, HasSubstr("\t.sleb128\t-(foo2-.Lprobe0)\n"));
  EXPECT_THAT(text, HasSubstr("\t.quad\t837061429793323041\n\t.byte\t4,1,0,32\n"));
  EXPECT_THAT(text, HasSubstr("\t.byte\t6\n\t.quad\t6699318081062747564\n\t.byte\t1,0,1,128\n"));
}

TEST(Lowering, NeedsAFunctionForDirectivesWithoutSymbols) {
  EXPECT_EQ(lowered("\tnop\n.Lx:\n\t.pseudoprobe 5 1 0 0\n"),
            "error: a.s:3: .pseudoprobe: it names no function, and no label of one is before it");
}

TEST(Lowering, WritesDescriptorsThatAreToldElsewhere) {
  const std::vector<Descriptor> known = {{5, 17, "f"}, {6, 18, "unused"}, {7, 19, "a b"}};
  std::string text =
      lowered("f: .pseudoprobe 5 1 0 0 @ 7:2 f\n", {.dialect = {}, .descriptors = known});
  EXPECT_THAT(text, HasSubstr("\t.section\t.pseudo_probe_desc,\"G\",@progbits,.pseudo_probe_desc_f,"
                              "comdat\n\t.quad\t5\n\t.quad\t17\n\t.byte\t1,102\n"));
  EXPECT_THAT(text, HasSubstr(",\".pseudo_probe_desc_a b\",comdat\n\t.quad\t7\n\t.quad\t19\n"));
  EXPECT_THAT(text, Not(HasSubstr("quad\t6\n")));
  EXPECT_THAT(lowered("f: .pseudoprobe 8 1 0 0 f\n", {.dialect = {}, .descriptors = known}),
              HasSubstr("function 8 has no descriptor"));
  EXPECT_EQ(
      lowered(described("f: .pseudoprobe 5 1 0 0 f\n"), {.dialect = {}, .descriptors = known}),
      lowered(described("f: .pseudoprobe 5 1 0 0 f\n")));
}

TEST(Lowering, TakesAwayWhatOnlyClangKnows) {
  EXPECT_EQ(lowered("\t.addrsig\n\t.addrsig_sym f # f\n.cg_profile f, g, 3\n.ident \"x\"\n"),
            "\t\n\t # f\n\n.ident \"x\"\n");
}

// Inlined code that stands before the call's own: no negated parentheses for negative distances.
TEST(Lowering, WritesDistancesBackwardAsTheyAre) {
  std::string text =
      lowered(described("f: nop; .pseudoprobe 5 1 0 0 @ 5:9 f; nop; .pseudoprobe 5 2 0 0 f\n"));
  EXPECT_THAT(text, HasSubstr(".sleb128\t-(f-.Lprobe1)\n"));
  EXPECT_THAT(text, HasSubstr(".sleb128\t.Lprobe0-.Lprobe1\n"));
}

TEST(Lowering, PutsTheDataBeforeTheEnd) {
  std::string text = described("f:\n.pseudoprobe 5 1 0 0 f\n");
  std::string with_end = lowered(text + "\t.end\n.pseudoprobe garbage\n");
  EXPECT_EQ(with_end, lowered(text + "\t") + ".end\n.pseudoprobe garbage\n") << with_end;
}

TEST(Lowering, EndsTheLastLineFirst) {
  EXPECT_THAT(lowered(std::string(descriptor_5) + ".text; f: .pseudoprobe 5 1 0 0 f"),
              HasSubstr("f: .Lprobe0:\n\t.text\n\t.section\t.pseudo_probe"));
}

TEST(Lowering, MakesASectionPerTextSection) {
  std::string text = lowered(described(R"(
    .section .text.f,"axG",@progbits,f,comdat
f:  .pseudoprobe 5 1 0 0 f
    .section .text.f,"ax",@progbits,unique,2
g:  .pseudoprobe 5 1 0 0 g
    .pushsection .text.f,"axG",@progbits,f,comdat
h:  .pseudoprobe 5 2 0 0 h
    .popsection
    nop
    .pseudoprobe 5 3 0 0 g
)"));
  size_t first = text.find(
      "\t.section "
      ".text.f,\"axG\",@progbits,f,comdat\n\t.section\t.pseudo_probe,\"o?\",@progbits,.Lprobe0\n");
  size_t second = text.find(
      "\t.section "
      ".text.f,\"ax\",@progbits,unique,2\n\t.section\t.pseudo_probe,\"o?\",@progbits,.Lprobe1\n");
  EXPECT_LT(first, second);
  EXPECT_NE(second, std::string::npos) << text;
  EXPECT_LT(text.find("(h-.Lprobe2)"), second);
  EXPECT_GT(text.find("(.Lprobe1-.Lprobe3)"), second);
}

TEST(Lowering, CountsSplitPartsFromTheirOwnSymbol) {
  std::string text = lowered(described(R"(
f:  .pseudoprobe 5 1 0 0 f
    .section .text.unlikely,"ax",@progbits
f.cold:
.Lcold:
1:  .pseudoprobe 5 2 0 0 f
    .text
    nop
    .pseudoprobe 5 3 0 0 f
)"));
  EXPECT_THAT(text, HasSubstr(".sleb128\t-(f-.Lprobe0)\n"));
  EXPECT_THAT(text, HasSubstr(".sleb128\t-(f.cold-.Lprobe1)\n"));
  EXPECT_THAT(text, HasSubstr(".sleb128\t-(.Lprobe0-.Lprobe2)\n"));
  EXPECT_EQ(lowered(described("f:\n.section .text.x,\"ax\"\n.Lx: .pseudoprobe 5 1 0 0 f\n")),
            "error: a.s:3: .pseudoprobe: it is in section .text.x, its function f in .text, and no "
            "symbol before it says from where to count");
}

TEST(Lowering, FindsSymbolsFarAway) {
  std::string text = "f: nop\n";
  for (int i = 0; i < 100; ++i) text += "l" + std::to_string(i) + ":\n";
  text += ".pseudoprobe 5 1 0 0 \"f\"\n.pseudoprobe 5 2 0 0 l1\n";
  EXPECT_THAT(lowered(described(text)), HasSubstr("-(\"f\"-.Lprobe0)\n"));
  EXPECT_THAT(lowered(described(text)), HasSubstr("-(l1-.Lprobe0)\n"));
}

TEST(Lowering, ChoosesLabelsThatAreFree) {
  std::string text = lowered(described(".Lprobe0: f: .pseudoprobe 5 1 0 0 f\n"));
  EXPECT_THAT(text, StartsWith(".Lprobe0: f: .Lprobe_"));
  EXPECT_THAT(text, HasSubstr("-(f-.Lprobe_"));
}

TEST(Lowering, KnowsAArch64) {
  std::string text =
      described("f:\n\tmov\tw0, #1; .pseudoprobe 5 1 0 0 f // #\n\tadd x0, sp, #4\n");
  EXPECT_THAT(lowered(text), StartsWith("f:\n\tmov\tw0, #1; .Lprobe0: // #\n"));
  EXPECT_THAT(lowered(text, {.dialect = assembly::Dialect::x86, .unknown_functions = false}),
              StartsWith("f:\n\tmov\tw0, #1; .pseudoprobe 5"));
}

TEST(Lowering, NamesTheLineOfAnError) {
  auto error = [](std::string_view text) { return lowered(described(text)); };
  EXPECT_EQ(error("f:\n.pseudoprobe 5 1\n"), "error: a.s:2: .pseudoprobe: the type is missing");
  EXPECT_EQ(error("\n\n.pseudoprobe 5 1 0 0 g\n"),
            "error: a.s:3: .pseudoprobe: there is no label g before it");
  EXPECT_EQ(error("f:\n.data\n.pseudoprobe 5 1 0 0 f\n"),
            "error: a.s:3: .pseudoprobe: it is in section .data, which holds no code");
  EXPECT_EQ(
      error("f:\n.rept 2\n.pseudoprobe 5 1 0 0 f\n.endr\n"),
      "error: a.s:3: .pseudoprobe: it is inside of .rept (line 2), where its place is not known");
  EXPECT_THAT(
      error("f:\n.ifdef x\n.macro m\n.if 1\n.endm\n.endif\n.endif\n.pseudoprobe 5 1 0 0 f\n"),
      HasSubstr(".sleb128"));
}

TEST(Lowering, NoticesTextThatIsCutOff) {
  EXPECT_EQ(lowered(described("f:\n.pseudoprobe 5 1 0 0 f\n") + ".text /* "),
            "error: a.s:8: it ends inside of a comment; is it cut off?");
  EXPECT_EQ(lowered(described("f:\n.pseudoprobe 5 1 0 0 f\n") + ".macro m\n"),
            "error: a.s:8: .macro is not closed; is the file cut off?");
  std::string_view unknown = "f:\n.pseudoprobe 5 1 0 0 f\n.pseudoprobe 6 1 0 0 @ 7:1 f\n";
  EXPECT_EQ(lowered(unknown),
            "error: a.s:2: .pseudoprobe: function 5 has no descriptor (.pseudo_probe_desc) in "
            "this file; is it cut off? --descriptors tells it, --allow-unknown does without");
  EXPECT_THAT(lowered(described(unknown)), StartsWith("error: a.s:3: .pseudoprobe: function "));
  EXPECT_THAT(lowered(unknown, {.dialect = {}, .unknown_functions = true}),
              StartsWith("f:\n.Lprobe0:"));
}

TEST(Lowering, ReadsNegativeAndListedDescriptors) {
  std::string_view text =
      "f:\n.pseudoprobe 18446744073709551611 1 0 0 f\n.pseudoprobe 7 1 0 0 f\n"
      ".section .pseudo_probe_desc,\"G\",@progbits,.pseudo_probe_desc_f,comdat\n"
      ".xword -5, 1\n.8byte 0x7,2\n";
  EXPECT_THAT(lowered(text), StartsWith("f:\n.Lprobe0:\n\n"));
}

// COFF: distances are counted from labels of its own, and a COMDAT's probes are associated with it.
TEST(Lowering, OfCoff) {
  std::string_view descriptor =
      "\t.section\t.pseudo_probe_desc,\"drD\"\n\t.quad\t5\n\t.quad\t17\n\t.byte\t1\n\t.ascii\t"
      "\"f\"\n";
  std::string begin = ".def f;\n.endef\n";
  std::string text =
      lowered(begin + "f: # begins\nnop\n.pseudoprobe 5 1 0 0 f\n" + std::string(descriptor));
  EXPECT_THAT(text, StartsWith(begin + "f:.Lprobe1: # begins\nnop\n.Lprobe0:\n"));
  EXPECT_THAT(text, HasSubstr("\t.section\t.pseudo_probe,\"drD\"\n\t.quad\t5\n"));
  EXPECT_THAT(text, HasSubstr("\t.sleb128\t-(.Lprobe1-.Lprobe0)\n"));
  text = lowered(begin + ".section\t.text,\"xr\",discard,\"?f@@YAHH@Z\"\n\"?f@@YAHH@Z\"::\n" +
                 ".pseudoprobe 5 1 0 0 \"?f@@YAHH@Z\"\nLBB0_1:\n" + std::string(descriptor));
  EXPECT_THAT(text, HasSubstr("\"?f@@YAHH@Z\"::Lprobe1:\nLprobe0:\nLBB0_1:\n"));
  EXPECT_THAT(text, HasSubstr("\t.section\t.pseudo_probe,\"drD\",associative,\"?f@@YAHH@Z\"\n"));
  const std::vector<Descriptor> known = {{5, 17, "?f"}};
  text = lowered(begin + "f:\n.pseudoprobe 5 1 0 0 f\n",
                 {.dialect = {}, .unknown_functions = false, .descriptors = known});
  EXPECT_THAT(text,
              HasSubstr("\t.section\t.pseudo_probe_desc,\"drD\",same_contents,"
                        "\".pseudo_probe_desc_?f\"\n\".pseudo_probe_desc_?f\":\n\t.quad\t5\n"));
}

TEST(Lowering, RefusesMachO) {
  std::string text = ".build_version macos, 11, 0\n" + described("f:\n.pseudoprobe 5 1 0 0 f\n");
  EXPECT_EQ(lowered(text),
            "error: a.s:3: .pseudoprobe: this is assembly for Mach-O; probe sections are written "
            "for ELF and COFF");
}

// Every line keeps its number, whatever is on it.
TEST(Lowering, KeepsLines) {
  EXPECT_THAT(lowered(described("f: .pseudoprobe 5 /*\n\n*/ 1 0 0 f; ret\n")),
              StartsWith("f: .Lprobe0:\n\n; ret\n"));
  std::string text = described(
      "f:\n/* a\nb */ .pseudoprobe 5 1 0 0 f; .pseudoprobe 5 2 0 0 f /* c\nd */; nop\n\n# 7 "
      "\"x.c\"\nret\n");
  std::string out = lowered(text);
  EXPECT_EQ(std::ranges::count(text, '\n'),
            std::ranges::count(std::string_view(out).substr(0, out.find("\t.text\n")), '\n'));
  EXPECT_THAT(out, HasSubstr("\nb */ .Lprobe0:;  /* c\nd */; nop\n\n# 7 \"x.c\"\nret\n"));
}

}  // namespace
}  // namespace pgokit::probe
