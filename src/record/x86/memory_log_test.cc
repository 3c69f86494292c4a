// What copies log of their accesses to memory: each form of an operand, run, beside the address that
// it must have.
#include "record/x86/memory_log.h"

#include <gmock/gmock.h>

#include <string>

#include "test/support/stepping.h"

namespace pgokit::record {
namespace {

// What an expected address counts from.
enum class From : u8 { buffer, stack, code, thread, nothing };

struct Expected {
  From from;
  i64 distance;
  u16 size;
  bool load, store;
};

struct Form {
  std::string name;
  std::vector<u8> code;  // from rbx = rdi = buffer on; r8 = 2, r9 = 3
  std::vector<Expected> accesses;
};

constexpr bool load = true, store = true, no = false;

const Form forms[] = {
    {"base", {0x48, 0x8b, 0x43, 0x08}, {{From::buffer, 8, 8, load, no}}},
    {"store of a byte", {0x88, 0x43, 0xff}, {{From::buffer, -1, 1, no, store}}},
    {"both", {0x01, 0x03}, {{From::buffer, 0, 4, load, store}}},
    {"base and index", {0x42, 0x8b, 0x44, 0xc3, 0x10}, {{From::buffer, 32, 4, load, no}}},
    {"extended registers",  // mov r10, rbx; mov eax, [r10 + r9 * 4 - 256]
     {0x49, 0x89, 0xda, 0x43, 0x8b, 0x84, 0x8a, 0x00, 0xff, 0xff, 0xff},
     {{From::buffer, -244, 4, load, no}}},
    {"r12 and r13 as base",  // push r12, r13; mov r12, rbx; mov r13, rbx; two loads; pop both
     {0x41, 0x54, 0x41, 0x55, 0x49, 0x89, 0xdc, 0x49, 0x89, 0xdd, 0x41,
      0x8b, 0x04, 0x24, 0x41, 0x8b, 0x45, 0x04, 0x41, 0x5d, 0x41, 0x5c},
     {{From::stack, -8, 8, no, store},
      {From::stack, -16, 8, no, store},
      {From::buffer, 0, 4, load, no},
      {From::buffer, 4, 4, load, no},
      {From::stack, -16, 8, load, no},
      {From::stack, -8, 8, load, no}}},
    {"rcx and r11",  // lea rcx, [rbx + 8]; mov r11d, 2; mov eax, [rcx + r11 * 8]
     {0x48, 0x8d, 0x4b, 0x08, 0x41, 0xbb, 2, 0, 0, 0, 0x42, 0x8b, 0x04, 0xd9},
     {{From::buffer, 24, 4, load, no}}},
    {"index alone",  // mov rcx, rbx; mov eax, [rcx * 1 + 4]
     {0x48, 0x89, 0xd9, 0x8b, 0x04, 0x0d, 4, 0, 0, 0},
     {{From::buffer, 4, 4, load, no}}},
    {"relative to rip", {0x8b, 0x05, 0xfa, 0xff, 0xff, 0xff}, {{From::code, 0, 4, load, no}}},
    {"thread-local", {0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}, {{From::thread, 0, 8, load, no}}},
    {"thread-local, below",  // mov rax, -8; mov al, fs:[rax + 16]
     {0x48, 0xc7, 0xc0, 0xf8, 0xff, 0xff, 0xff, 0x64, 0x8a, 0x40, 0x10},
     {{From::thread, 8, 1, load, no}}},
    {"push and pop of registers",
     {0x50, 0x58},
     {{From::stack, -8, 8, no, store}, {From::stack, -8, 8, load, no}}},
    {"push and pop of memory",  // push [rbx + 8]; pop [rsp + 8 - 24]
     {0xff, 0x73, 0x08, 0x8f, 0x44, 0x24, 0xf0},
     {{From::buffer, 8, 8, load, no},
      {From::stack, -8, 8, no, store},
      {From::stack, -16, 8, no, store},
      {From::stack, -8, 8, load, no}}},
    {"pushf", {0x9c, 0x58}, {{From::stack, -8, 8, no, store}, {From::stack, -8, 8, load, no}}},
    {"leave",  // push rbp; mov rbp, rsp; push rax; leave
     {0x55, 0x48, 0x89, 0xe5, 0x50, 0xc9},
     {{From::stack, -8, 8, no, store},
      {From::stack, -16, 8, no, store},
      {From::stack, -8, 8, load, no}}},
    {"call and ret",  // call over ret; jmp over it; ret
     {0xe8, 0x02, 0, 0, 0, 0xeb, 0x01, 0xc3},
     {{From::stack, -8, 8, no, store}, {From::stack, -8, 8, load, no}}},
    {"movs",  // lea rsi, [rbx + 8]; movsq
     {0x48, 0x8d, 0x73, 0x08, 0x48, 0xa5},
     {{From::buffer, 0, 8, no, store}, {From::buffer, 8, 8, load, no}}},
    {"stos", {0xaa}, {{From::buffer, 0, 1, no, store}}},
    {"rep stos",  // mov ecx, 3; rep stosd
     {0xb9, 3, 0, 0, 0, 0xf3, 0xab},
     {{From::buffer, 0, 4, no, store}}},
    {"rep stos of nothing", {0x31, 0xc9, 0xf3, 0xab}, {}},
    {"xlat",  // mov eax, 0x110; xlat
     {0xb8, 0x10, 1, 0, 0, 0xd7},
     {{From::buffer, 16, 1, load, no}}},
    {"lea", {0x48, 0x8d, 0x43, 0x08}, {}},
    {"nop and prefetch", {0x0f, 0x1f, 0x43, 0x00, 0x0f, 0x18, 0x0b}, {}},
    {"xchg", {0x87, 0x03}, {{From::buffer, 0, 4, load, store}}},
    {"lock xadd", {0xf0, 0x0f, 0xc1, 0x03}, {{From::buffer, 0, 4, load, store}}},
    {"cmp", {0x39, 0x03}, {{From::buffer, 0, 4, load, no}}},
    {"setc", {0x0f, 0x92, 0x03}, {{From::buffer, 0, 1, no, store}}},
    {"movups", {0x0f, 0x10, 0x03}, {{From::buffer, 0, 16, load, no}}},
};

class MemoryLog : public CodePage {
 protected:
  using GivesRsp = u64(u64* buffer);

  // The function that has the form in it: it gives rsp back.
  u64 write(const Form& form) {
    u8* out = page_;
    auto put = [&](std::initializer_list<u8> bytes) { out = std::ranges::copy(bytes, out).out; };
    put({0x53, 0x48, 0x89, 0xfb});                          // push rbx; mov rbx, rdi
    put({0x41, 0xb8, 2, 0, 0, 0, 0x41, 0xb9, 3, 0, 0, 0});  // mov r8d, 2; mov r9d, 3
    u64 at = reinterpret_cast<u64>(out);
    out = std::ranges::copy(form.code, out).out;
    put({0x48, 0x89, 0xe0, 0x5b, 0xc3});  // mov rax, rsp; pop rbx; ret
    return at;
  }

  struct Logged {
    MemoryAccess access;
    u64 address;
  };
  // The n-th access: that after which the counter comes to the next slot.
  static Logged logged(const LocalTarget& target) {
    u64 area = target.cache.scratch(0), address;
    u32 number;
    std::memcpy(&address, reinterpret_cast<void*>(area + scratch::memory::addresses), 8);
    std::memcpy(&number, reinterpret_cast<void*>(area + scratch::memory::numbers), 4);
    return {target.cache.access(number), address};
  }
};

TEST_F(MemoryLog, HasEachFormOfAnOperand) {
  u64 buffer[64] = {}, thread;
  syscall(SYS_arch_prctl, ARCH_GET_FS, &thread);
  for (const auto& form : forms) {
    u64 at = write(form);
    LocalTarget target({page_}, CopyFor::memory);
    auto* function = reinterpret_cast<GivesRsp*>(page_);
    constexpr u64 around = 3;  // push rbx before it; pop rbx and ret after it
    size_t expected = form.accesses.size() + around;
    for (size_t n = 0; n < form.accesses.size(); ++n) {
      target.accesses_logged = (u64{1} << 32) - 1 - (n + 2) * scratch::memory::step;
      u64 rsp = 0;
      for (int turn = 0; turn < 8; ++turn) {  // until nothing is missing
        rsp = target.window(function, 40)(buffer + 32);
        if (u64 missing = target.header().target; missing != 0) target.cache.enter(missing);
      }
      u64 made = (target.header().logged - target.accesses_logged) / scratch::memory::step;
      ASSERT_EQ(made, expected) << form.name;
      auto [access, address] = logged(target);
      const auto& want = form.accesses[n];
      u64 from = want.from == From::buffer   ? reinterpret_cast<u64>(buffer + 32)
                 : want.from == From::stack  ? rsp
                 : want.from == From::code   ? at
                 : want.from == From::thread ? thread
                                             : 0;
      EXPECT_EQ(address, from + static_cast<u64>(want.distance)) << form.name << ", " << n;
      EXPECT_EQ(access.size, want.size) << form.name << ", " << n;
      EXPECT_EQ(access.load, want.load) << form.name << ", " << n;
      EXPECT_EQ(access.store, want.store) << form.name << ", " << n;
      EXPECT_GE(access.from, at) << form.name;
      EXPECT_LT(access.from, at + form.code.size()) << form.name;
    }
  }
}

TEST(OperandsInMemory, TellWhatIsLocked) {
  auto locked = [](std::vector<u8> code) {
    auto found = operands_in_memory(code, 0x1000);
    return found.size() == 1 && found[0].access.locked;
  };
  EXPECT_TRUE(locked({0xf0, 0x01, 0x03}));  // lock add
  EXPECT_TRUE(locked({0x87, 0x03}));        // xchg
  EXPECT_FALSE(locked({0x01, 0x03}));
}

TEST(OperandsInMemory, OfShortAddressesHaveNoUpperHalf) {
  auto by_register = operands_in_memory(std::vector<u8>{0x67, 0x8b, 0x03}, 0x1000);
  ASSERT_EQ(by_register.size(), 1U);
  EXPECT_TRUE(by_register[0].narrow);
  // mov eax, [0xfffffff0], with an address of 32 bits
  auto fixed =
      operands_in_memory(std::vector<u8>{0x67, 0x8b, 0x04, 0x25, 0xf0, 0xff, 0xff, 0xff}, 0x1000);
  ASSERT_EQ(fixed.size(), 1U);
  EXPECT_FALSE(fixed[0].has_registers());
  EXPECT_EQ(fixed[0].displacement, 0xfffffff0);
}

TEST(OperandsInMemory, AreNotThereInWhatOnlyNamesMemory) {
  const std::vector<std::vector<u8>> none = {
      {},                                    // nothing at all
      {0x0f},                                // cut off
      {0x06},                                // no instruction
      {0x90},                                // nop
      {0x0f, 0xae, 0x3b},                    // clflush [rbx]
      {0x0f, 0x0d, 0x0b},                    // prefetchw
      {0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x8b},  // a gather
      {0x48, 0x8d, 0x04, 0x8b},              // lea
  };
  for (const auto& code : none) EXPECT_THAT(operands_in_memory(code, 0x1000), ::testing::IsEmpty());
}

}  // namespace
}  // namespace pgokit::record
