#include "isa/decoder.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace pgokit::isa {
namespace {

Instruction x86(std::vector<u8> bytes, u64 address = 0x1000) {
  return Decoder::for_machine(EM_X86_64)->decode(bytes, address);
}

Instruction arm(u32 word, u64 address = 0x10000) {
  u8 bytes[] = {static_cast<u8>(word), static_cast<u8>(word >> 8), static_cast<u8>(word >> 16),
                static_cast<u8>(word >> 24)};
  return Decoder::for_machine(EM_AARCH64)->decode(bytes, address);
}

struct Case {
  const char* name;
  std::vector<u8> bytes;
  u8 length;
  Flow flow;
};

TEST(Decoder, RefusesOtherMachines) {
  auto decoder = Decoder::for_machine(EM_SPARCV9);
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().message.find("43"), std::string::npos) << decoder.error().message;
}

TEST(X86, ClassesAndLengths) {
  const Case cases[] = {
      {"nop", {0x90}, 1, Flow::none},
      {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, 4, Flow::none},
      {"je rel8", {0x74, 0x02}, 2, Flow::conditional},
      {"je rel32", {0x0f, 0x84, 0, 0, 0, 0}, 6, Flow::conditional},
      {"jrcxz", {0xe3, 0x02}, 2, Flow::conditional},
      {"loop", {0xe2, 0xfe}, 2, Flow::conditional},
      {"jmp rel8", {0xeb, 0x02}, 2, Flow::jump},
      {"jmp rel32", {0xe9, 0, 0, 0, 0}, 5, Flow::jump},
      {"jmp rax", {0xff, 0xe0}, 2, Flow::indirect_jump},
      {"jmp [rip+0]", {0xff, 0x25, 0, 0, 0, 0}, 6, Flow::indirect_jump},
      {"notrack jmp rax", {0x3e, 0xff, 0xe0}, 3, Flow::indirect_jump},
      {"bnd jmp [rip]", {0xf2, 0xff, 0x25, 0, 0, 0, 0}, 7, Flow::indirect_jump},
      {"call rel32", {0xe8, 0, 0, 0, 0}, 5, Flow::call},
      {"addr32 call rel32", {0x67, 0xe8, 0, 0, 0, 0}, 6, Flow::call},
      {"data16 rex.W call", {0x66, 0x48, 0xe8, 0, 0, 0, 0}, 7, Flow::call},
      {"call r11", {0x41, 0xff, 0xd3}, 3, Flow::indirect_call},
      {"call [rax+8]", {0xff, 0x50, 8}, 3, Flow::indirect_call},
      {"far call [rax]", {0xff, 0x18}, 2, Flow::indirect_call},
      {"far jmp [rax]", {0xff, 0x28}, 2, Flow::indirect_jump},
      {"ret", {0xc3}, 1, Flow::ret},
      {"rep ret", {0xf3, 0xc3}, 2, Flow::ret},
      {"ret imm", {0xc2, 8, 0}, 3, Flow::ret},
      {"lretq", {0x48, 0xcb}, 2, Flow::ret},
      {"iretq", {0x48, 0xcf}, 2, Flow::ret},
      {"push [rax] is group ff too", {0xff, 0x30}, 2, Flow::none},
      {"xbegin", {0xc7, 0xf8, 0, 0, 0, 0}, 6, Flow::conditional},
      {"xabort", {0xc6, 0xf8, 1}, 3, Flow::none},
      {"xend", {0x0f, 0x01, 0xd5}, 3, Flow::none},
      {"mov imm32", {0xc7, 0xc0, 1, 0, 0, 0}, 6, Flow::none},
      {"syscall", {0x0f, 0x05}, 2, Flow::other},
      {"ud2", {0x0f, 0x0b}, 2, Flow::other},
      {"int3", {0xcc}, 1, Flow::other},
      {"hlt", {0xf4}, 1, Flow::other},
      {"test imm8: f6 /0", {0xf6, 0xc0, 1}, 3, Flow::none},
      {"not: f6 /2 has no immediate", {0xf6, 0xd0}, 2, Flow::none},
      {"rex then 66: the rex does not count", {0x48, 0x66, 0xb8, 1, 2}, 5, Flow::none},
      {"xop against pop", {0x8f, 0xc0}, 2, Flow::none},
      {"vzeroupper: 77 in a VEX map is no jump", {0xc5, 0xf8, 0x77}, 3, Flow::none},
      {"vex 0f84 map is no jump", {0xc5, 0xf8, 0x28, 0xc1}, 4, Flow::none},
  };
  for (const Case& one : cases) {
    Instruction got = x86(one.bytes);
    EXPECT_EQ(got.length, one.length) << one.name;
    EXPECT_EQ(got.flow, one.flow) << one.name;
  }
}

TEST(X86, Targets) {
  EXPECT_EQ(x86({0x74, 0xfe}).target, 0x1000u);
  EXPECT_EQ(x86({0xe8, 0xfb, 0xff, 0xff, 0xff}).target, 0x1000u);
  EXPECT_EQ(x86({0xe9, 0x10, 0, 0, 0}).target, 0x1015u);
  EXPECT_EQ(x86({0x0f, 0x8f, 0, 1, 0, 0}).target, 0x1106u);
  EXPECT_FALSE(x86({0xff, 0xe0}).has_target);
  EXPECT_FALSE(x86({0xc3}).has_target);
}

TEST(X86, LockIsAnInstructionOfItsOwnWhereLlvmSaysSo) {
  std::vector<u8> bytes = {0xf0, 0x48, 0xff, 0x00};  // lock inc qword [rax]
  EXPECT_EQ(x86(bytes).length, 1);
  EXPECT_EQ(x86({0xf2, 0xf0, 0x0f, 0xb1, 0x0a}).length, 1);  // xacquire lock cmpxchg
  EXPECT_EQ(x86({0xf3, 0xc7, 0x02, 0, 0, 0, 0}).length, 1);  // xrelease mov
  EXPECT_EQ(x86({0xf3, 0x90}).length, 2);                    // pause
  EXPECT_EQ(x86({0xf3, 0xa4}).length, 2);                    // rep movsb
  auto whole = Decoder::for_machine(EM_X86_64, LockPrefix::with_instruction);
  EXPECT_EQ(whole->decode(bytes, 0).length, 4);
}

TEST(X86, BadAndCutOffBytes) {
  for (const auto& bytes : std::vector<std::vector<u8>>{{}, {0x06}, {0xe8, 0, 0}, {0x0f}, {0x48}}) {
    Instruction got = x86(bytes);
    EXPECT_FALSE(got.ok());
    EXPECT_GE(got.step(), 1u);
  }
}

TEST(AArch64, Classes) {
  EXPECT_EQ(arm(0xd503201f).flow, Flow::none);           // nop
  EXPECT_EQ(arm(0x14000000).flow, Flow::jump);           // b .
  EXPECT_EQ(arm(0x94000000).flow, Flow::call);           // bl .
  EXPECT_EQ(arm(0x54000001).flow, Flow::conditional);    // b.ne
  EXPECT_EQ(arm(0xb4000000).flow, Flow::conditional);    // cbz x0
  EXPECT_EQ(arm(0x37000000).flow, Flow::conditional);    // tbnz w0, #0
  EXPECT_EQ(arm(0xd61f0200).flow, Flow::indirect_jump);  // br x16
  EXPECT_EQ(arm(0xd71f0a11).flow, Flow::indirect_jump);  // braa x16, x17
  EXPECT_EQ(arm(0xd63f0100).flow, Flow::indirect_call);  // blr x8
  EXPECT_EQ(arm(0xd65f03c0).flow, Flow::ret);            // ret
  EXPECT_EQ(arm(0xd65f0bff).flow, Flow::ret);            // retaa
  EXPECT_EQ(arm(0xd69f03e0).flow, Flow::ret);            // eret
  EXPECT_EQ(arm(0xd4000001).flow, Flow::other);          // svc #0
  EXPECT_EQ(arm(0x00000000).flow, Flow::other);          // udf #0
}

TEST(AArch64, Targets) {
  EXPECT_EQ(arm(0x14000001).target, 0x10004u);
  EXPECT_EQ(arm(0x17ffffff).target, 0xfffcu);
  EXPECT_EQ(arm(0x97fffffe).target, 0xfff8u);
  EXPECT_EQ(arm(0x54ffffe1).target, 0xfffcu);
  EXPECT_EQ(arm(0x36000040).target, 0x10008u);
  EXPECT_EQ(arm(0x3607ffe0).target, 0xfffcu);
  EXPECT_FALSE(arm(0xd65f03c0).has_target);
}

TEST(AArch64, WordsOfExtensionsAreNoneWhereThatIsAskedFor) {
  auto base = Decoder::for_machine(EM_AARCH64, LockPrefix::alone, Extensions::none);
  auto decode = [&](u32 word) {
    u8 bytes[4];
    std::memcpy(bytes, &word, sizeof word);
    return base->decode(bytes, 0x10000);
  };
  for (u32 word : {0xd65f03c0u, 0xd503233fu, 0x4e228420u, 0x1e222820u, 0x885ffc41u})
    EXPECT_EQ(decode(word).length, 4u) << word;  // ret, paciasp, add v0.16b, fadd, ldaxr
  for (u32 word : {0xd65f0bffu, 0xb8e00041u, 0x04208020u, 0x4e809420u, 0x00010000u}) {
    EXPECT_FALSE(decode(word).ok()) << word;  // retaa, ldaddal, of SVE, sdot, nothing
    EXPECT_EQ(decode(word).step(), 4u);
    EXPECT_TRUE(arm(word).ok()) << word;
  }
  EXPECT_EQ(decode(0xd65f03c0).flow, Flow::ret);
}

TEST(AArch64, CutOffWords) {
  auto decoder = Decoder::for_machine(EM_AARCH64);
  u8 bytes[] = {1, 2, 3};
  EXPECT_FALSE(decoder->decode(bytes, 0).ok());
  EXPECT_EQ(decoder->decode(bytes, 0).step(), 3u);
}

}  // namespace
}  // namespace pgokit::isa
