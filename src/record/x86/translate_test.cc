// Runs copies beside their originals: random straight-line code with branches, calls and stack use,
// from random registers and flags.
#include "record/x86/translate.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <ucontext.h>

#include <array>
#include <random>

#include "record/x86/instruction.h"
#include "test/support/local_target.h"
#include "test/support/possible_branches.h"

namespace pgokit::record {
namespace {

struct State {
  std::array<u64, 16> registers;  // in the order of their numbers; rsp is not loaded
  u64 flags;
  std::array<u8, 256> memory;  // rbx points to it while the code runs
  bool operator==(const State&) const = default;
};

constexpr u64 arithmetic_flags = 0x8d5;  // OF SF ZF AF PF CF

// Functions made of bytes: save what a function has to, take the registers from a State in rdi, run
// a body, put everything back.
class CodeMaker {
 public:
  CodeMaker(u8* at, unsigned seed) : out_(at), random_(seed) {}

  u8* make() {
    u8* leaf = out_;
    for (int i = 0; i < 6; ++i) arithmetic();
    put({0xc3});
    releasing_ = out_;
    arithmetic();
    put({0xc2, 0x10, 0x00});  // ret 16
    u8* entry = out_;
    prologue();
    for (int i = 0; i < 40; ++i) piece(leaf);
    epilogue();
    return entry;
  }
  u8* end() const { return out_; }

 private:
  void put(std::initializer_list<unsigned> bytes) {
    for (unsigned byte : bytes) *out_++ = static_cast<u8>(byte);
  }
  void put32(u64 value) {
    auto narrow = static_cast<u32>(value);
    std::memcpy(out_, &narrow, 4);
    out_ += 4;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  // Not rsp, nor rbx (memory) and r15 (the State).
  unsigned reg() {
    constexpr unsigned usable[] = {0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    return usable[below(std::size(usable))];
  }

  void prologue() {
    put({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // push rbx rbp r12-r15
    put({0x49, 0x89, 0xff});                                            // mov r15, rdi
    put({0x49, 0x8d, 0x9f}), put32(offsetof(State, memory));            // lea rbx, [r15 + memory]
    put({0x49, 0x8b, 0x87}), put32(offsetof(State, flags));             // mov rax, [r15 + flags]
    put({0x89, 0xc1, 0xc1, 0xe9, 0x0b, 0x83, 0xe1, 0x01});              // ecx = OF
    put({0x88, 0xc4, 0x88, 0xc8, 0x04, 0x7f,
         0x9e});  // ah = the others; al = cl; add al, 0x7f; sahf
    for (unsigned r = 0; r < 15; ++r)
      if (r != 3 && r != 4) load_or_store(0x8b, r);
  }

  void epilogue() {
    for (unsigned r = 0; r < 15; ++r)
      if (r != 3 && r != 4) load_or_store(0x89, r);
    put({0x9c, 0x41, 0x8f, 0x87}), put32(offsetof(State, flags));  // pushf; pop [r15 + flags]
    put({0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3});
  }

  void load_or_store(unsigned opcode, unsigned r) {
    put({0x49U | (r & 8) >> 1, opcode, 0x87 | (r & 7) << 3}), put32(8 * r);
  }

  void piece(u8* leaf) {
    switch (below(14)) {
      case 13:
        return strings();
      case 12:
        return frame();
      case 11:
        put({0x50, 0x51});  // two arguments, which the callee takes off
        return call(releasing_);
      case 10:
        return jump_by_memory();
      case 0:
        return forward_branch();
      case 1:
        return loop();
      case 2:
        return call(leaf);
      case 3:
        return call_by_register(leaf);
      case 4:
        return stack();
      case 5:
        return relative_data();
      default:
        return arithmetic();
    }
  }

  void arithmetic() {
    unsigned a = reg(), b = reg();
    unsigned rex = 0x48 | (a & 8) >> 1 | (b & 8) >> 3;
    constexpr unsigned opcodes[] = {0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31, 0x39, 0x85, 0x87};
    switch (below(5)) {
      case 0:  // op r64, r64
      case 1:
        return put({rex, opcodes[below(std::size(opcodes))], 0xc0 | (a & 7) << 3 | (b & 7)});
      case 2:  // op [rbx + n], r64
        return put({0x48 | (a & 8) >> 1, opcodes[below(8)], 0x43 | (a & 7) << 3, below(15) * 8});
      case 3:  // shl, rol ... r64, n
        return put({0x48 | (b & 8) >> 3, 0xc1, 0xc0 | below(6) << 3 | (b & 7), 1 + below(5)});
      default:  // imul r64, r64
        return put({rex, 0x0f, 0xaf, 0xc0 | (a & 7) << 3 | (b & 7)});
    }
  }

  void forward_branch() {
    bool near = below(2) == 0;
    unsigned condition = below(16);
    if (near)
      put({0x0f, 0x80 | condition, 0, 0, 0, 0});
    else
      put({0x70 | condition, 0});
    u8* behind = out_;
    for (unsigned i = 0; i < 3; ++i) arithmetic();
    auto distance = static_cast<i32>(out_ - behind);
    if (near)
      std::memcpy(behind - 4, &distance, 4);
    else
      behind[-1] = static_cast<u8>(distance);
  }

  // mov ecx, n; body; loop or jrcxz
  void loop() {
    put({0xb9, 1 + below(4), 0, 0, 0});
    u8* top = out_;
    put({0x48, 0x01, 0x4b, below(15) * 8});  // add [rbx + n], rcx
    put({0x4d, 0x11, 0xc1});                 // adc r9, r8
    put({below(2) ? 0xe2U : 0xe0U, 0});      // loop, loopne
    out_[-1] = static_cast<u8>(top - out_);
    put({0xe3, 0x03, 0x4d, 0x29, 0xc1});  // jrcxz over sub r9, r8
  }

  void call(u8* leaf) { put({0xe8}), put32(static_cast<u64>(leaf - (out_ + 4))); }

  // lea rax, [rip + leaf]; call rax, or by the stack
  void call_by_register(u8* leaf) {
    put({0x48, 0x8d, 0x05}), put32(static_cast<u64>(leaf - (out_ + 4)));
    if (below(2)) return put({0xff, 0xd0});
    put({0x50, 0xff, 0x14, 0x24});        // push rax; call [rsp]
    put({0x48, 0x8d, 0x64, 0x24, 0x08});  // lea rsp, [rsp + 8]
    put({0x31, 0xc0});                    // xor eax, eax: where the code lies must not show
  }

  // lea rax, [rip + 4]; push rax; jmp [rsp]
  void jump_by_memory() {
    put({0x48, 0x8d, 0x05, 0x04, 0x00, 0x00, 0x00, 0x50, 0xff, 0x24, 0x24});
    put({0x48, 0x8d, 0x64, 0x24, 0x08, 0x31, 0xc0});  // as in call_by_register()
  }

  // With a count of 0 too. Pointers to the memory must not show.
  void strings() {
    put({0x48, 0x8d, 0x7b, below(100), 0x48, 0x8d, 0x73, below(100)});  // lea rdi, rsi
    put({0xb9, below(9), 0, 0, 0});                                     // mov ecx, n
    switch (below(3)) {
      case 0:
        put({0xf3, 0xaa});  // rep stosb
        break;
      case 1:
        put({0xf3, 0x48, 0xa5});  // rep movsq
        break;
      default:
        put({0xf2, 0xae});  // repne scasb
    }
    put({0xbf, 0, 0, 0, 0, 0xbe, 0, 0, 0, 0});  // mov edi, 0; mov esi, 0
  }

  void frame() {
    put({0xc8, 0x10, 0x00, 0x00});              // enter 16, 0
    put({0x54, 0x58, 0x48, 0x29, 0xe0, 0xc9});  // push rsp; pop rax; sub rax, rsp; leave
  }

  void stack() {
    unsigned a = reg(), b = reg();
    put({0x48, 0x89, 0x44, 0x24, 0xf0});  // mov [rsp - 16], rax: the red zone
    forward_branch();
    put({0x48, 0x03, 0x54, 0x24, 0xf0});  // add rdx, [rsp - 16]
    if (a & 8) put({0x41});
    put({0x50 | (a & 7)});
    arithmetic();
    if (b & 8) put({0x41});
    put({0x58 | (b & 7)});
    put({0x9c, 0x58, 0x25}), put32(arithmetic_flags);  // pushf; pop rax; and eax, flags
  }

  // The copy has to read what the original reads.
  void relative_data() {
    put({0xeb, 0x08});
    for (int i = 0; i < 8; ++i) put({below(256)});
    put({0x48, 0x33, 0x05}), put32(static_cast<u64>(-i64(15)));               // xor rax, [rip - 15]
    put({0x48, 0x83, 0x05}), put32(static_cast<u64>(-i64(23))), put({0x05});  // add [rip - 23], 5
  }

  u8* out_;
  u8* releasing_ = nullptr;
  std::minstd_rand random_;
};

State random_state(unsigned seed) {
  std::mt19937_64 random(seed);
  State state{};
  for (auto& one : state.registers) one = random() >> (random() % 64);
  for (auto& one : state.memory) one = static_cast<u8>(random());
  state.flags = (random() & arithmetic_flags) | 2;
  return state;
}

using Function = void(State*);

class Translated : public ::testing::Test {
 protected:
  static constexpr size_t size = 1 << 20;
  u8* page_ = static_cast<u8*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  void TearDown() override { munmap(page_, size); }
};

TEST_F(Translated, CodeDoesWhatTheOriginalDoes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    LocalTarget target({page_});
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    for (u32 branches : {1U, 3U, 17U, 400U}) {
      auto expected = random_state(seed + branches), got = expected;
      function(&expected);
      std::ranges::copy(code, page_);  // it changes data among itself
      // until nothing is missing any more
      for (int turn = 0; turn < 60; ++turn) {
        got = random_state(seed + branches);
        target.window(function, branches)(&got);
        std::ranges::copy(code, page_);
        target.cache.enter(target.header().target);
      }
      expected.flags &= arithmetic_flags, got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", " << branches << " branches";
    }
  }
}

// Single-steps through copies, and leaves them by CodeCache::recover() before one instruction.
struct Stepping {
  static constexpr u64 trap_flag = 0x100;
  static inline const LocalTarget* target = nullptr;
  static inline u64 steps = 0, leave_at = 0;
  static inline u64 left_for = 0;  // where the program went on
  static inline std::vector<Edge> edges;
  static inline bool completed = false;  // a branch that the ring did not have
  static inline std::vector<Edge> uncounted;

  static void on_trap(int, siginfo_t*, void* context) {
    auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    auto of = [&](int number) { return static_cast<u64>(registers[number]); };
    if (!target->cache.contains(of(REG_RIP)) || ++steps != leave_at) return;
    Registers regs{};
    regs.rip = of(REG_RIP), regs.rax = of(REG_RAX), regs.rcx = of(REG_RCX), regs.rdx = of(REG_RDX);
    regs.r11 = of(REG_R11), regs.eflags = of(REG_EFL);
    auto recovered = target->cache.recover(regs, target->header());
    ASSERT_TRUE(recovered.was_inside);
    left_for = regs.rip, edges = target->recorded();
    completed = recovered.unrecorded.has_value();
    if (completed) edges.push_back(*recovered.unrecorded);
    uncounted.clear();
    for (u64 n = recovered.uncounted; n < recovered.uncounted_end; ++n)
      uncounted.push_back(target->edge_at(n));
    if (completed) uncounted.push_back(*recovered.unrecorded);
    auto set = [&](int number, u64 value) { registers[number] = static_cast<greg_t>(value); };
    set(REG_RIP, regs.rip), set(REG_RAX, regs.rax), set(REG_RCX, regs.rcx), set(REG_RDX, regs.rdx);
    set(REG_R11, regs.r11), set(REG_EFL, regs.eflags & ~trap_flag);
  }

  // How many instructions in the cache there were.
  static u64 call(LocalTarget& in, Function* function, State& state, u64 leave_before) {
    target = &in, steps = 0, leave_at = leave_before;
    edges.clear(), completed = false;
    auto* argument = &state;
    __asm__ volatile(
        "lea -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n call *%1\n"
        "pushfq\n andq $~0x100, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp"
        : "+D"(argument)
        : "r"(function)
        : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
    return steps;
  }
};

TEST_F(Translated, CopiesCanBeLeftBeforeAnyInstruction) {
  struct sigaction action{}, before;
  action.sa_sigaction = Stepping::on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  u64 left = 0, completed = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    LocalTarget target({page_});
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    auto expected = random_state(seed), got = expected;
    function(&expected);
    expected.flags &= arithmetic_flags;
    std::mt19937 random(seed);
    u64 steps = 0;
    for (int turn = 0; turn < 80; ++turn) {
      std::ranges::copy(code, page_);
      got = random_state(seed);
      // at first until nothing is missing, then once to see how far it goes
      bool leaves = turn > 40;
      u64 leave_before = leaves ? 1 + random() % steps : 0;
      auto* copy = target.window(function, leaves && turn % 3 == 0 ? 5 : 400);
      if (turn < 40)
        copy(&got);
      else if (u64 made = Stepping::call(target, copy, got, leave_before); !leaves)
        steps = made;
      else
        left += made >= leave_before, completed += Stepping::completed;
      got.flags &= arithmetic_flags;
      ASSERT_EQ(got, expected) << "seed " << seed << ", left before step " << leave_before;
      if (leaves) expect_possible(Stepping::edges, Stepping::left_for);
      u64 missing = target.header().target;
      if (!leaves && target.cache.enter(missing)) target.cache.publish(missing);
    }
  }
  EXPECT_GT(left, 250U);
  EXPECT_GT(completed, 20U);
  sigaction(SIGTRAP, &before, nullptr);
}

// Of all branches up to where it is left: of passes that are over, of one that is being counted, of
// one that is not over.
TEST_F(Translated, EveryBranchIsCountedOnce) {
  struct sigaction action{}, before;
  action.sa_sigaction = Stepping::on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  using Sums = std::map<std::pair<u64, u64>, u64>;
  u64 left = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    LocalTarget target({page_});
    CodeMaker maker(page_, seed);
    auto* function = reinterpret_cast<Function*>(maker.make());
    std::vector<u8> code(page_, maker.end());
    std::mt19937 random(seed);
    std::vector<Edge> all;
    u64 steps = 0;
    for (int turn = 0; turn < 120; ++turn) {
      std::ranges::copy(code, page_);
      auto state = random_state(seed);
      constexpr int until_known = 40;
      bool known = turn > until_known;
      u64 leave_before = known ? 1 + random() % steps : 0;
      auto* copy = target.window(function, known ? 3 : 400, known ? 200 : 1);
      u64 made = Stepping::call(target, copy, state, leave_before);
      if (!known) {
        all = target.recorded(), steps = made;
        target.counted();
        u64 missing = target.header().target;
        if (target.cache.enter(missing)) target.cache.publish(missing);
        continue;
      }
      if (made < leave_before) {
        target.counted();
        continue;
      }
      ++left;
      Sums counted = target.counted(), expected;
      for (const auto& edge : Stepping::uncounted) ++counted[{edge.from, edge.to}];
      u64 passed = 0;
      for (const auto& [ends, count] : counted) passed += count;
      ASSERT_LE(passed, all.size());
      for (const auto& edge : std::span(all).first(passed)) ++expected[{edge.from, edge.to}];
      ASSERT_EQ(counted, expected) << "seed " << seed << ", left before step " << leave_before;
    }
  }
  EXPECT_GT(left, 500U);
  sigaction(SIGTRAP, &before, nullptr);
}

TEST_F(Translated, WhatEntersTheKernelEndsABlock) {
  const std::vector<std::vector<u8>> never = {
      {0x0f, 0x05},                    // syscall
      {0xcc},                          // int3
      {0xcd, 0x80},                    // int 0x80
      {0xf4},                          // hlt
      {0x0f, 0x0b},                    // ud2
      {0xcb},                          // far ret
      {0x9d},                          // popf
      {0x65, 0x48, 0x8b, 0x00},        // mov rax, gs:[rax]
      {0x8e, 0xe8},                    // mov gs, eax
      {0xc7, 0xf8, 0, 0, 0, 0},        // xbegin
      {0xf3, 0x48, 0x0f, 0xae, 0xd8},  // wrgsbase rax
      {0xff, 0x28},                    // far jmp
      {0x06},                          // no instruction
  };
  for (const auto& bytes : never) {
    EXPECT_EQ(decode_for_copy(bytes, 0x1000).kind, CopyKind::never);
    EXPECT_FALSE(translate(0x1000, bytes, {.code = 0x2000, .slots = 0x9000}).ok());
  }
  EXPECT_FALSE(translate(0x1000, {}, {.code = 0x2000, .slots = 0x9000}).ok());
}

TEST_F(Translated, ABlockTellsItsBranches) {
  // jne +2; call +0; both recorded with their targets
  constexpr u8 code[] = {0x75, 0x02, 0x90, 0x90, 0xe8, 0, 0, 0, 0};
  auto copy = translate(0x1000, code, {.code = 0x2000, .slots = 0x9000});
  ASSERT_TRUE(copy.ok());
  ASSERT_EQ(copy.edges.size(), 2U);
  EXPECT_EQ(copy.edges[0].from, 0x1004U);
  EXPECT_EQ(copy.edges[0].to, 0x1009U);
  EXPECT_EQ(copy.edges[0].kind, EdgeKind::call);
  EXPECT_EQ(copy.edges[1].from, 0x1000U);
  EXPECT_EQ(copy.edges[1].to, 0x1004U);
  EXPECT_THAT(copy.return_sites, ::testing::ElementsAre(0x1009));
  EXPECT_EQ(copy.block.end, 0x1009U);
  EXPECT_EQ(copy.block.recoveries.front().original, 0x1000U);
}

// A displacement that does not reach from the copy's place ends the block before its instruction.
TEST_F(Translated, StaysWithinReach) {
  constexpr u8 code[] = {0x90, 0x48, 0x8b, 0x05, 0, 0, 0, 0};  // nop; mov rax, [rip]
  auto near = translate(0x1000, code, {.code = 0x2000, .slots = 0x9000});
  auto far = translate(0x1000, code, {.code = u64{1} << 40, .slots = (u64{1} << 40) + 0x9000});
  ASSERT_TRUE(near.ok());
  ASSERT_TRUE(far.ok());
  EXPECT_EQ(near.block.end, 0x1008U);
  EXPECT_EQ(far.block.end, 0x1001U);
}

// Any bytes give a block or none, and never more code than there is room for.
TEST_F(Translated, TakesAnyBytes) {
  std::mt19937 random(1);
  std::array<u8, 512> bytes;
  for (int i = 0; i < 20'000; ++i) {
    for (auto& one : bytes) one = static_cast<u8>(random());
    auto copy = translate(0x100000, Bytes(bytes).first(random() % bytes.size()),
                          {.code = 0x200000, .slots = 0x900000});
    ASSERT_LT(copy.code.size(), 4096U);
    ASSERT_LE(copy.exits.size(), 16U);
  }
}

}  // namespace
}  // namespace pgokit::record
