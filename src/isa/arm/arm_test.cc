#include <elf.h>
#include <gtest/gtest.h>

#include "base/cursor.h"
#include "isa/formatter.h"

namespace pgokit::isa {
namespace {

using namespace std::string_view_literals;

Instruction decode(std::string_view bytes, Mode mode) {
  return Decoder::for_machine(EM_ARM)->decode(as_bytes(bytes), 0x1000, mode);
}

TEST(Arm, FlowAndTargets) {
  auto arm = [](std::string_view bytes) { return decode(bytes, Mode::usual); };
  EXPECT_EQ(arm("\x1e\xff\x2f\xe1"sv).flow, Flow::ret);            // bx lr
  EXPECT_EQ(arm("\x10\x80\xbd\xe8"sv).flow, Flow::ret);            // pop {r4, pc}
  EXPECT_EQ(arm("\x13\xff\x2f\xe1"sv).flow, Flow::indirect_jump);  // bx r3
  EXPECT_EQ(arm("\x33\xff\x2f\xe1"sv).flow, Flow::indirect_call);  // blx r3
  EXPECT_EQ(arm("\x00\x00\x00\xef"sv).flow, Flow::other);          // svc #0
  auto call = arm("\xfe\xff\xff\xeb"sv);                           // bl to itself
  EXPECT_EQ(call.flow, Flow::call);
  EXPECT_EQ(call.target, 0x1000u);
  EXPECT_EQ(arm("\x00\x00\x00\x0a"sv).flow, Flow::conditional);  // beq
  EXPECT_EQ(arm("\x00\x00\x00\xea"sv).flow, Flow::jump);         // b
}

TEST(Arm, ThumbIsTwoOrFourBytes) {
  auto thumb = [](std::string_view bytes) { return decode(bytes, Mode::thumb); };
  EXPECT_EQ(thumb("\x70\x47"sv).flow, Flow::ret);  // bx lr
  auto jump = thumb("\xfe\xe7"sv);                 // b to itself
  EXPECT_EQ(jump.length, 2u);
  EXPECT_EQ(jump.target, 0x1000u);
  auto call = thumb("\xff\xf7\xfe\xff"sv);  // bl to itself
  EXPECT_EQ(call.length, 4u);
  EXPECT_EQ(call.flow, Flow::call);
  EXPECT_EQ(call.target, 0x1000u);
}

TEST(Arm, WhatIsCutOffIsNone) {
  for (auto bytes : {""sv, "\x1e"sv, "\x1e\xff"sv, "\x1e\xff\x2f"sv})
    EXPECT_FALSE(decode(bytes, Mode::usual).ok());
  EXPECT_FALSE(decode("\x70"sv, Mode::thumb).ok());
  auto half = decode("\xff\xf7"sv, Mode::thumb);
  EXPECT_FALSE(half.ok());
  EXPECT_EQ(half.step(), 2u);
}

TEST(Arm, DataIsPassedOverByWords) {
  auto data = [](std::string_view bytes) { return decode(bytes, Mode::data); };
  EXPECT_FALSE(data("\x1e\xff\x2f\xe1"sv).ok());
  EXPECT_EQ(data("\x1e\xff\x2f\xe1\x00"sv).step(), 4u);
  EXPECT_EQ(data("\x1e\xff"sv).step(), 2u);
  EXPECT_EQ(data(""sv).step(), 1u);
}

TEST(Arm, Text) {
  auto formatter = Formatter::for_machine(EM_ARM, Syntax::att, LockPrefix::alone);
  if (!formatter) GTEST_SKIP() << formatter.error().message;
  auto text = [&](std::string_view bytes, Mode mode, u64 address = 0x1000) {
    std::string text;
    Printed one = formatter->append(as_bytes(bytes), address, text, mode);
    return one.reference ? fmt::format("{} ref {:#x}", text, *one.reference) : text;
  };
  EXPECT_EQ(text("\xfe\xff\xff\xeb"sv, Mode::usual), "bl\t0x1000");
  EXPECT_EQ(text("\x0a\x90\xa0\xe1"sv, Mode::usual), "mov\tr9, r10");
  EXPECT_EQ(text("\x10\x00\x9f\xe5"sv, Mode::usual), "ldr\tr0, [pc, #16] ref 0x1018");
  EXPECT_EQ(text("\x4f\xf0\xff\x30"sv, Mode::thumb), "mov.w\tr0, #4294967295");
  EXPECT_EQ(text("\x70\x47"sv, Mode::data), "");
  // An `it` holds for what follows, and not elsewhere.
  EXPECT_EQ(text("\x08\xbf"sv, Mode::thumb, 0x1000), "it\teq");
  EXPECT_EQ(text("\x70\x47"sv, Mode::thumb, 0x1002), "bxeq\tlr");
  EXPECT_EQ(text("\x08\xbf"sv, Mode::thumb, 0x1000), "it\teq");
  EXPECT_EQ(text("\x70\x47"sv, Mode::thumb, 0x2000), "bx\tlr");
}

}  // namespace
}  // namespace pgokit::isa
