#include <array>

#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "target.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

class X86 final : public Target {
 public:
  using Target::Target;

  void update(Block& block, At at, Update update, const std::string& place) override {
    if (update == Update::mark)
      return put(block, at, "movb $0, " + place + "(%rip)");  // keeps the flags
    const bool wide = update == Update::add64;
    const std::string add = (wide ? "incq " : "incl ") + place + "(%rip)";
    const MCRegister flags = reg("EFLAGS");
    if (!live_in(block, flags)) return put(block, at, add, {"EFLAGS"});
    if (const At later = flags_dead(block, at); later != block.end())
      return put(block, later, add, {"EFLAGS"});
    for (const Free& free : free_registers) {
      if (live_in(block, reg(free.whole))) continue;
      const char* name = wide ? free.name64 : free.name32;
      const std::string mov = wide ? "movq " : "movl ";
      return put(block, at,
                 mov + place + "(%rip), " + name + "\n" + (wide ? "leaq 1(" : "leal 1(") +
                     free.name64 + "), " + name + "\n" + mov + name + ", " + place + "(%rip)",
                 {free.whole});
    }
    // Below the red zone.
    put(block, at, "leaq -128(%rsp), %rsp\npushfq\n" + add + "\npopfq\nleaq 128(%rsp), %rsp");
  }

  // The run time finds the place by the displacement, 12 bytes before the address it returns to: 10
  // bytes of code less in each function than an operand would take.
  void first_run(Block& entry, At at, const std::string& place) override {
    const std::string over = local_label();
    put(entry, at,
        "cmpl $0, " + place + "(%rip)\njne " + over + "\ncall __pgokit_first_run\n" + over + ":",
        {"EFLAGS"});
  }

  void sample_edge(Block& entry, At at) override {
    const std::string over = local_label();
    const std::string tail = "\njns " + over + "\ncall __pgokit_sample_edge\n" + over + ":";
    if (thread_locals_of_program()) {
      put(entry, at, "decl %fs:__pgokit_edge_countdown@tpoff" + tail, {"EFLAGS"});
    } else {
      put(entry, at, "movq __pgokit_edge_countdown@gottpoff(%rip), %r11\ndecl %fs:(%r11)" + tail,
          {"EFLAGS", "R11"});
    }
  }

  bool label_may_end_block() const override { return true; }

 private:
  struct Free {
    const char* whole;
    const char* name64;
    const char* name32;
  };
  static constexpr std::array<Free, 8> free_registers{{{"RAX", "%rax", "%eax"},
                                                       {"RCX", "%rcx", "%ecx"},
                                                       {"RDX", "%rdx", "%edx"},
                                                       {"RSI", "%rsi", "%esi"},
                                                       {"RDI", "%rdi", "%edi"},
                                                       {"R8", "%r8", "%r8d"},
                                                       {"R9", "%r9", "%r9d"},
                                                       {"R10", "%r10", "%r10d"}}};

  // The first place behind `at` where the flags are not needed, unless the block may have been left
  // before.
  At flags_dead(Block& block, At at) const {
    const MCRegister flags = reg("EFLAGS");
    LivePhysRegs live(*function_.getSubtarget().getRegisterInfo());
    live.addLiveOuts(block);
    SmallVector<At, 16> dead;  // nearest last
    for (At each = block.end(); each != at;) {
      --each;
      live.stepBackward(*each);
      if (!live.contains(flags)) dead.push_back(each);
    }
    for (; at != block.end() && !at->isCall() && !at->isTerminator() && !at->isInlineAsm(); ++at) {
      if (!dead.empty() && is_contained(dead, at)) return at;
    }
    return at != block.end() && is_contained(dead, at) && !at->isTerminator() ? at : block.end();
  }
};

}  // namespace

std::unique_ptr<Target> make_x86(MachineFunction& function) {
  return std::make_unique<X86>(function);
}

}  // namespace pgokit::plugin
