#pragma once

// A way to leave copies of random functions at any instruction.

#include <gmock/gmock.h>
#include <signal.h>
#include <ucontext.h>

#include <vector>

#include "test/support/random_code.h"

namespace pgokit::record {

// Single-steps through copies, and leaves them by CodeCache::recover() before one instruction.
struct Stepping {
  static constexpr u64 trap_flag = 0x100;
  static inline LocalTarget* target = nullptr;
  static inline bool answers = false;  // what the copy asks for
  static inline u64 steps = 0, leave_at = 0;
  static inline u64 left_for = 0;  // where the program went on
  static inline std::vector<Edge> edges;
  static inline bool completed = false;  // a branch that neither the ring nor a counter has

  static void on_trap(int, siginfo_t*, void* context) {
    auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    auto of = [&](int number) { return static_cast<u64>(registers[number]); };
    if (answers) target->answer();
    if (!target->cache.contains(of(REG_RIP)) || ++steps != leave_at) return;
    Registers regs{};
    regs.rip = of(REG_RIP), regs.rax = of(REG_RAX), regs.rcx = of(REG_RCX), regs.rdx = of(REG_RDX);
    regs.r11 = of(REG_R11), regs.eflags = of(REG_EFL);
    regs.rdi = of(REG_RDI), regs.rsi = of(REG_RSI), regs.r10 = of(REG_R10);
    auto recovered = target->cache.recover(regs, target->header());
    ASSERT_TRUE(recovered.was_inside);
    left_for = regs.rip, edges = target->recorded();
    completed = recovered.unrecorded.has_value();
    if (completed) edges.push_back(*recovered.unrecorded);
    auto set = [&](int number, u64 value) { registers[number] = static_cast<greg_t>(value); };
    set(REG_RIP, regs.rip), set(REG_RAX, regs.rax), set(REG_RCX, regs.rcx), set(REG_RDX, regs.rdx);
    set(REG_R11, regs.r11), set(REG_EFL, regs.eflags & ~trap_flag);
    set(REG_RDI, regs.rdi), set(REG_RSI, regs.rsi), set(REG_R10, regs.r10);
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

// Room for a random function.
class CodePage : public ::testing::Test {
 protected:
  static constexpr size_t size = 1 << 20;
  u8* page_ = static_cast<u8*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  void TearDown() override { munmap(page_, size); }
};

// While it lives, steps are seen by Stepping.
class SteppingHandler {
 public:
  SteppingHandler() {
    struct sigaction action{};
    action.sa_sigaction = Stepping::on_trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &before_);
  }
  ~SteppingHandler() { sigaction(SIGTRAP, &before_, nullptr); }
  SteppingHandler(const SteppingHandler&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace pgokit::record
