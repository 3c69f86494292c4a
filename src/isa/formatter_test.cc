#include "isa/formatter.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "base/cursor.h"

namespace pgokit::isa {
namespace {

using namespace std::string_view_literals;

std::string printed(std::string_view code, Syntax syntax, u64 address = 0x1000,
                    LockPrefix lock = LockPrefix::with_instruction) {
  auto formatter = Formatter::for_machine(EM_X86_64, syntax, lock);
  std::string text;
  Printed one = formatter->append(as_bytes(code), address, text);
  return one.reference ? fmt::format("{} ref {:#x}", text, *one.reference) : text;
}

TEST(Formatter, AttSyntaxIsThatOfLlvm) {
  auto att = [](std::string_view code) { return printed(code, Syntax::att); };
  EXPECT_EQ(att("\x48\x89\xe5"), "movq\t%rsp, %rbp");
  EXPECT_EQ(att("\xe8\x0b\x00\x00\x00"sv), "callq\t0x1010");
  EXPECT_EQ(att("\x74\x03"), "je\t0x1005");
  EXPECT_EQ(att("\xff\x15\x10\x00\x00\x00"sv), "callq\t*16(%rip) ref 0x1016");
  EXPECT_EQ(att("\xff\xe0"), "jmpq\t*%rax");
  EXPECT_EQ(att("\x0f\xb6\x07"), "movzbl\t(%rdi), %eax");
  EXPECT_EQ(att("\x48\x63\xc7"), "movslq\t%edi, %rax");
  EXPECT_EQ(att("\x48\x98"), "cltq");
  EXPECT_EQ(att("\xd1\xe8"), "shrl\t%eax");
  EXPECT_EQ(att("\x83\xc0\xf8"), "addl\t$-8, %eax");
  EXPECT_EQ(att("\xb8\xab\xaa\xaa\xaa"), "movl\t$2863311531, %eax");
  EXPECT_EQ(att("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"sv), "nopw\t%cs:(%rax,%rax)");
  EXPECT_EQ(att("\xf3\x48\xab"), "rep\t\tstosq\t%rax, %es:(%rdi)");
  EXPECT_EQ(att("\x64\x48\x8b\x04\x25\xf8\xff\xff\xff"sv), "movq\t%fs:-8, %rax");
  EXPECT_EQ(att("\xdf\xe9"), "fucompi\t%st(1), %st");
  EXPECT_EQ(att("\xf2\x0f\xc2\xc1\x01"), "cmpltsd\t%xmm1, %xmm0");
  EXPECT_EQ(att("\xc3"), "retq");
}

TEST(Formatter, AttSyntaxOfRareForms) {
  auto att = [](std::string_view code) { return printed(code, Syntax::att); };
  EXPECT_EQ(att("\x93"), "xchgl\t%ebx, %eax");
  EXPECT_EQ(att("\xcb"), "lretl");
  EXPECT_EQ(att("\xf3\x01\xc0"), "rep\t\taddl\t%eax, %eax");
  EXPECT_EQ(att("\xf3\x0f\x1f\x00"sv), "nopl\t(%rax)");
  EXPECT_EQ(att("\x67\x01\xc0"), "addr32\t\taddl\t%eax, %eax");
  EXPECT_EQ(att("\xdc\xe1"), "fsub\t%st, %st(1)");
  EXPECT_EQ(att("\x8b\x24\xe7"), "movl\t(%rdi,%riz,8), %esp");
  EXPECT_EQ(att("\x8e\xc6"), "movl\t%esi, %es");
  EXPECT_EQ(att("\x62\xf1\xf5\xd9\x58\x10"), "vaddpd\t(%rax){1to8}, %zmm1, %zmm2 {%k1} {z}");
  EXPECT_EQ(att("\x62\xf1\xf5\x18\x58\xc2"), "vaddpd\t{rn-sae}, %zmm2, %zmm1, %zmm0");
}

std::string intel(std::string_view code) { return printed(code, Syntax::intel); }

TEST(Formatter, IntelSyntaxIsThatOfLlvm) {
  EXPECT_EQ(intel("\x48\x89\xe5"), "mov\trbp, rsp");
  EXPECT_EQ(intel("\xe8\x0b\x00\x00\x00"sv), "call\t0x1010");
  EXPECT_EQ(intel("\x74\x03"), "je\t0x1005");
  EXPECT_EQ(intel("\xff\x15\x10\x00\x00\x00"sv), "call\tqword ptr [rip + 16] ref 0x1016");
  EXPECT_EQ(intel("\xff\xe0"), "jmp\trax");
  EXPECT_EQ(intel("\x0f\xb6\x07"), "movzx\teax, byte ptr [rdi]");
  EXPECT_EQ(intel("\x48\x98"), "cdqe");
  EXPECT_EQ(intel("\xd1\xe8"), "shr\teax");
  EXPECT_EQ(intel("\x83\xc0\xf8"), "add\teax, -8");
  EXPECT_EQ(intel("\xb8\xab\xaa\xaa\xaa"), "mov\teax, 2863311531");
  EXPECT_EQ(intel("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"sv), "nop\tword ptr cs:[rax + rax]");
  EXPECT_EQ(intel("\xdf\xe9"), "fucompi\tst, st(1)");
  EXPECT_EQ(intel("\xf2\x0f\xc2\xc1\x01"), "cmpltsd\txmm0, xmm1");
  EXPECT_EQ(intel("\xc3"), "ret");
}

TEST(Formatter, IntelSyntaxOfMemory) {
  EXPECT_EQ(intel("\x8d\x44\x8b\xf8"), "lea\teax, [rbx + 4*rcx - 8]");
  EXPECT_EQ(intel("\x8d\x04\x2d\x20\x00\x00\x00"sv), "lea\teax, [1*rbp + 32]");
  EXPECT_EQ(intel("\x64\x48\x8b\x04\x25\xf8\xff\xff\xff"sv), "mov\trax, qword ptr fs:[-8]");
  EXPECT_EQ(intel("\x8b\x24\xe7"), "mov\tesp, dword ptr [rdi + 8*riz]");
  EXPECT_EQ(intel("\x67\x8b\x00"sv), "mov\teax, dword ptr [eax]");
  EXPECT_EQ(intel("\x0f\xae\x38"), "clflush\tbyte ptr [rax]");
  EXPECT_EQ(intel("\x0f\x01\x10"), "lgdt\t[rax]");
}

TEST(Formatter, IntelSyntaxOfStrings) {
  EXPECT_EQ(intel("\xf3\x48\xab"), "rep\t\tstosq\tqword ptr es:[rdi], rax");
  EXPECT_EQ(intel("\xa5"), "movsd\tdword ptr es:[rdi], dword ptr [rsi]");
  EXPECT_EQ(intel("\x64\xa6"), "cmpsb\tbyte ptr fs:[rsi], byte ptr es:[rdi]");
}

TEST(Formatter, IntelSyntaxOfVectors) {
  EXPECT_EQ(intel("\x62\xf1\xf5\xd9\x58\x10"),
            "vaddpd\tzmm2 {k1} {z}, zmm1, qword ptr [rax]{1to8}");
  EXPECT_EQ(intel("\x62\xf1\xf5\x18\x58\xc2"), "vaddpd\tzmm0, zmm1, zmm2, {rn-sae}");
  EXPECT_EQ(intel("\xc5\xf0\xc2\xc2\x1d"), "vcmpge_oqps\txmm0, xmm1, xmm2");
}

TEST(Formatter, LockCanStandAlone) {
  std::string_view code = "\xf0\xff\x00"sv;
  EXPECT_EQ(printed(code, Syntax::att), "lock\t\tincl\t(%rax)");
  EXPECT_EQ(printed(code, Syntax::att, 0, LockPrefix::alone), "lock");
}

TEST(Formatter, NothingForWhatIsNoInstruction) {
  EXPECT_EQ(printed("\x06", Syntax::att), "");
  EXPECT_EQ(printed("\xe8\x00"sv, Syntax::att), "");
  EXPECT_EQ(printed("", Syntax::att), "");
  EXPECT_EQ(intel("\x06"), "");
  EXPECT_EQ(intel("\xe8\x00"sv), "");
  EXPECT_FALSE(Formatter::for_machine(EM_SPARCV9, Syntax::att, LockPrefix::alone));
}

// Every two bytes and then what comes: no crash, and lengths as the decoder has them.
TEST(Formatter, PrintsWhateverDecodes) {
  auto att = Formatter::for_machine(EM_X86_64, Syntax::att, LockPrefix::alone);
  auto intel = Formatter::for_machine(EM_X86_64, Syntax::intel, LockPrefix::alone);
  auto decoder = Decoder::for_machine(EM_X86_64, LockPrefix::alone);
  for (unsigned two = 0; two < 0x10000; ++two) {
    u8 code[16] = {static_cast<u8>(two), static_cast<u8>(two >> 8)};
    for (size_t i = 2; i < sizeof code; ++i) code[i] = static_cast<u8>(two * i);
    for (const auto& formatter : {&*att, &*intel}) {
      std::string text;
      Printed one = formatter->append(code, 0x1000, text);
      EXPECT_EQ(one.instruction.length, decoder->decode(code, 0x1000).length);
      EXPECT_EQ(one.instruction.ok(), !text.empty()) << std::hex << two;
      EXPECT_EQ(text.find("(bad)"), std::string::npos) << std::hex << two;
    }
  }
}

TEST(Formatter, AArch64) {
  auto formatter = Formatter::for_machine(EM_AARCH64, Syntax::att, LockPrefix::alone);
  if (!formatter) GTEST_SKIP() << formatter.error().message;
  auto print = [&](u32 word) {
    u8 code[4];
    for (int i = 0; i < 4; ++i) code[i] = static_cast<u8>(word >> 8 * i);
    std::string text;
    Printed one = formatter->append(code, 0x1000, text);
    return one.reference ? fmt::format("{} ref {:#x}", text, *one.reference) : text;
  };
  EXPECT_EQ(print(0x94000004), "bl\t0x1010");
  EXPECT_EQ(print(0x54000060), "b.eq\t0x100c");
  EXPECT_EQ(print(0xd65f03c0), "ret");
  EXPECT_EQ(print(0x90000000), "adrp\tx0, #0x1000 ref 0x1000");
  EXPECT_EQ(print(0x70ffffe0), "adr\tx0, #0xfff ref 0xfff");
  EXPECT_EQ(print(0x00000000), ".inst\t0x00000000");
}

}  // namespace
}  // namespace pgokit::isa
