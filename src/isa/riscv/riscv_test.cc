#include <elf.h>
#include <gtest/gtest.h>

#include "base/cursor.h"
#include "isa/decoder.h"
#include "isa/formatter.h"

namespace pgokit::isa {
namespace {

using namespace std::string_view_literals;

std::string printed(std::string_view bytes, u8 address_size = 8) {
  auto formatter = Formatter::for_machine({EM_RISCV, address_size}, Syntax::att, LockPrefix::alone);
  std::string text;
  auto one = formatter->append(as_bytes(bytes), 0x1000, text);
  return text.empty() ? "?" : fmt::format("{} {}", one.instruction.length, text);
}

// Words as llvm-mc 22 prints them.
TEST(Riscv, Text) {
  EXPECT_EQ(printed("\x13\x05\x05\x00"sv), "4 mv\ta0, a0");
  EXPECT_EQ(printed("\x13\x01\x01\xff"sv), "4 addi\tsp, sp, -16");
  EXPECT_EQ(printed("\x67\x80\x00\x00"sv), "4 ret");
  EXPECT_EQ(printed("\x83\xb4\x81\x00"sv), "4 ld\ts1, 8(gp)");
  EXPECT_EQ(printed("\x63\x04\xb5\x00"sv), "4 beq\ta0, a1, 0x1008");
  EXPECT_EQ(printed("\x01\x11"sv), "2 addi\tsp, sp, -32");
  EXPECT_EQ(printed("\x82\x80"sv), "2 ret");
  EXPECT_EQ(printed("\x01\xa0"sv), "2 j\t0x1000");
  EXPECT_EQ(printed(std::string_view("\0\0", 2)), "2 unimp");
}

TEST(Riscv, OtherWordsAreNoInstructions) {
  for (std::string_view bytes : {"\x1f\x00\x00\x00"sv, "\x57\x00\x00\x00"sv, "\x13"sv, ""sv})
    EXPECT_EQ(printed(bytes), "?");
}

// The same bytes, of which some are other instructions.
TEST(Riscv, Of32Bits) {
  auto narrow = [](std::string_view bytes) { return printed(bytes, 4); };
  EXPECT_EQ(narrow("\x01\x11"sv), "2 addi\tsp, sp, -32");
  EXPECT_EQ(narrow("\x11\x20"sv), "2 jal\t0x1004");
  EXPECT_EQ(printed("\x11\x20"sv), "?");
  EXPECT_EQ(narrow("\x98\x61"sv), "2 flw\tfa4, 0(a1)");
  EXPECT_EQ(printed("\x98\x61"sv), "2 ld\ta4, 0(a1)");
  EXPECT_EQ(narrow("\x83\xb4\x81\x00"sv), "?");  // ld
  EXPECT_EQ(narrow("\x63\x04\xb5\x00"sv), "4 beq\ta0, a1, 0x1008");
  EXPECT_EQ(narrow("\x6f\xd0\x1f\xfe"sv), "4 j\t0xffffefe0");
}

TEST(Riscv, FlowAndTargets) {
  auto decoder = Decoder::for_machine(EM_RISCV);
  auto flow = [&](std::string_view bytes) { return decoder->decode(as_bytes(bytes), 0x1000).flow; };
  EXPECT_EQ(flow("\x82\x80"sv), Flow::ret);
  EXPECT_EQ(flow("\x02\x85"sv), Flow::indirect_jump);
  EXPECT_EQ(flow("\x02\x95"sv), Flow::indirect_call);
  EXPECT_EQ(flow("\x01\xa0"sv), Flow::jump);
  EXPECT_EQ(flow("\xef\x00\x80\x00"sv), Flow::call);
  EXPECT_EQ(flow("\x73\x00\x00\x00"sv), Flow::other);
  auto branch = decoder->decode(as_bytes("\x63\x04\xb5\x00"sv), 0x1000);
  EXPECT_EQ(branch.flow, Flow::conditional);
  EXPECT_EQ(branch.target, 0x1008u);
}

TEST(I386, TextAndTargets) {
  auto formatter = Formatter::for_machine(EM_386, Syntax::att, LockPrefix::alone);
  auto text_of = [&](std::string_view bytes) {
    std::string text;
    formatter->append(as_bytes(bytes), 0x1000, text);
    return text;
  };
  EXPECT_EQ(text_of("\x55"), "pushl\t%ebp");
  EXPECT_EQ(text_of("\xc3"), "retl");
  EXPECT_EQ(text_of("\x41"), "incl\t%ecx");
  EXPECT_EQ(text_of("\xff\xd0"), "calll\t*%eax");
  EXPECT_EQ(text_of("\x60"), "pushal");
  EXPECT_EQ(text_of(std::string_view("\xe8\xfb\xef\xff\xff", 5)), "calll\t0x0");
  auto decoder = Decoder::for_machine(EM_386);
  auto call = decoder->decode(as_bytes("\xe8\xf0\xef\xff\xff"), 0x1000);  // in front of 0
  EXPECT_EQ(call.target, 0xfffffff5u);
}

}  // namespace
}  // namespace pgokit::isa
