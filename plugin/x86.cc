#include <array>
#include <atomic>

#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "runtime/mip_format.h"
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
    const bool wide = update == Update::add64 || update == Update::atomic_add64;
    const bool atomic = update == Update::atomic_add32 || update == Update::atomic_add64;
    const std::string add =
        std::string(atomic ? "lock " : "") + (wide ? "incq " : "incl ") + place + "(%rip)";
    const MCRegister flags = reg("EFLAGS");
    if (!live_in(block, flags)) return put(block, at, add, {"EFLAGS"});
    if (const At later = flags_dead(block, at); later != block.end())
      return put(block, later, add, {"EFLAGS"});
    for (const Free& free : free_registers) {
      if (atomic || live_in(block, reg(free.whole))) continue;
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

  // The run time finds the place by the displacement, 12 bytes before the address it returns to,
  // and the mask behind it: 10 bytes of code less in each function than an operand would take.
  void first_run(Block& entry, At at, const std::string& place) override {
    const std::string over = local_label();
    put(entry, at,
        "cmpl $0, " + place + "(%rip)\njne " + over + "\ncall __pgokit_first_run\n" + over + ":",
        {"EFLAGS"});
  }

  void log_id(Block& entry, At at, const std::string& place, uint8_t mask) override {
    const std::string over = local_label();
    put(entry, at,
        "testb $" + std::to_string(mask) + ", " + place + "(%rip)\njne " + over +
            "\ncall __pgokit_log_id\n" + over + ":",
        {"EFLAGS"});
  }

  void log_call(Block& entry, At at, const std::string& place) override {
    const std::string over = local_label();
    put(entry, at,
        "cmpb $0, " + place + "(%rip)\nje " + over + "\ncall __pgokit_log_call\n" + over + ":",
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

  // Operands of memory are base, scale, index, displacement, segment.
  void find_values(MachineInstr& call, uint32_t kinds,
                   SmallVectorImpl<Recorded>& found) const override {
    const StringRef name = opcode(call);
    const bool in_register = name.starts_with("CALL64r") || name.starts_with("TAILJMPr64") ||
                             name.starts_with("TCRETURNri64");
    const bool in_memory = name.starts_with("CALL64m") || name.starts_with("TAILJMPm64") ||
                           name.starts_with("TCRETURNmi64");
    const bool in_thunk = calls_thunk(call);
    const bool direct = (!in_register && !in_memory && !in_thunk) ||
                        call.getNumOperands() < (in_memory ? 5 : 1) ||
                        (!in_thunk && !call.getOperand(0).isReg());
    const MCRegister value = direct        ? MCRegister()
                             : in_thunk    ? reg("R11")
                             : in_register ? call.getOperand(0).getReg().asMCReg()
                                           : MCRegister();
    // Of a call that is direct but for how its target is reached.
    const StringRef callee = direct  ? StringRef()
                             : value ? linkers_symbol_in(call, value, Asked::address)
                                     : linkers_entry(call, 0);
    if (kinds & MIP_SIZES) find_size(call, "RDX", callee, found);
    if (direct || (!callee.empty() && !is_numbered(call, callee))) return;
    const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
    if (kinds & MIP_TARGETS) found.push_back({MIP_TARGETS, &call, &call, value});
    if (!(kinds & MIP_TABLES)) return;
    MachineInstr* load = in_memory ? &call : setter(call, value, registers);
    if (!load || (load != &call && opcode(*load) != "MOV64rm")) return;
    const MachineOperand* memory = &load->getOperand(load == &call ? 0 : 1);
    const MCRegister base = memory[0].isReg() ? memory[0].getReg().asMCReg() : MCRegister();
    const bool table = base && base != reg("RIP") && base != reg("RSP") && memory[2].isReg() &&
                       !memory[2].getReg() && memory[3].isImm() && !memory[4].getReg();
    if (table) add_table(*load, call, base, registers, found);
  }

  bool record(const Recorded& recorded, const std::string& site) override {
    MachineInstr& before = *recorded.before;
    Block& block = *before.getParent();
    LivePhysRegs live;
    find_live(before, live);
    std::string name = recorded.value ? name_of(recorded.value) : "";
    SmallVector<StringRef, 2> clobbers{"EFLAGS"};
    std::string save, restore;
    if (!recorded.value) {
      const Free* scratch = find_if(free_registers, [&](const Free& each) {
        return live.available(function_.getRegInfo(), reg(each.whole));
      });
      if (scratch == free_registers.end()) return false;
      name = scratch->name64;
      clobbers.push_back(scratch->whole);
      load(before, reg(scratch->whole));
    }
    if (live.contains(reg("EFLAGS"))) {
      save = "leaq -128(%rsp), %rsp\npushfq\n";
      restore = "\npopfq\nleaq 128(%rsp), %rsp";
      clobbers.erase(clobbers.begin());
    }
    // Below the red zone, which only functions without calls have.
    const bool red_zone = save.empty() && !function_.getFrameInfo().hasCalls();
    const std::string over = local_label();
    put(block, before.getIterator(),
        save + "cmpq " + name + ", " + site + "(%rip)\nje " + over + "\n" +
            (red_zone ? "leaq -128(%rsp), %rsp\n" : "") + "pushq " + name + "\nleaq " + site +
            "(%rip), " + name + "\npushq " + name + "\ncall __pgokit_value\npopq " + name +
            "\npopq " + name + "\n" + (red_zone ? "leaq 128(%rsp), %rsp\n" : "") + over +
            ":\nincq " + site + "+8(%rip)" + restore,
        clobbers);
    return true;
  }

 protected:
  // -fno-plt, -mcmodel=large. With the latter, position-independent code adds a number of 64 bits to
  // the address of the linker's table.
  StringRef linkers_symbol(const MachineInstr& set, Asked asked) const override {
    const StringRef name = opcode(set);
    if (name.starts_with("MOV64ri")) {
      const MachineOperand& number = set.getOperand(1);
      const Asked told = has_flag(number, "x86-got")      ? Asked::entry
                         : has_flag(number, "x86-gotoff") ? Asked::offset
                                                          : Asked::address;
      return told == asked ? symbol_of(number) : StringRef();
    }
    if (asked != Asked::address || set.getNumOperands() < 3) return {};
    if (name == "MOV64rm") return linkers_entry(set, 1);
    if (name == "ADD64rr") return sum_with(set, {1, 2}, Asked::offset);
    return name == "LEA64r" ? sum_with(set, {1, 3}, Asked::offset) : StringRef();
  }

 private:
  struct Free {
    const char* whole;
    const char* name64;
    const char* name32;
  };
  static constexpr std::array<Free, 9> free_registers{{{"R11", "%r11", "%r11d"},
                                                       {"RAX", "%rax", "%eax"},
                                                       {"RCX", "%rcx", "%ecx"},
                                                       {"RDX", "%rdx", "%edx"},
                                                       {"RSI", "%rsi", "%esi"},
                                                       {"RDI", "%rdi", "%edi"},
                                                       {"R8", "%r8", "%r8d"},
                                                       {"R9", "%r9", "%r9d"},
                                                       {"R10", "%r10", "%r10d"}}};

  std::string name_of(MCRegister reg) const {
    return "%" + StringRef(function_.getSubtarget().getRegisterInfo()->getName(reg)).lower();
  }

  // Of what is called, which is in r11 then: -mretpoline and its like.
  static bool calls_thunk(const MachineInstr& call) {
    for (const MachineOperand& each : call.operands()) {
      const StringRef name = symbol_of(each);
      if (name == "__llvm_retpoline_r11" || name == "__llvm_lvi_thunk_r11" ||
          name == "__x86_indirect_thunk_r11")
        return true;
    }
    return false;
  }

  bool has_flag(const MachineOperand& operand, StringRef wanted) const {
    const unsigned flag = operand.getTargetFlags();
    if (!flag) return false;
    const TargetInstrInfo& instructions = *function_.getSubtarget().getInstrInfo();
    return any_of(instructions.getSerializableDirectMachineOperandTargetFlags(),
                  [&](const auto& each) { return each.first == flag && wanted == each.second; });
  }

  // The symbol whose address is loaded from the linker's table by the operand of memory that begins
  // with number `first`; empty: it is elsewhere.
  StringRef linkers_entry(const MachineInstr& use, unsigned first) const {
    const MachineOperand& displacement = use.getOperand(first + 3);
    for (const char* flag : {"x86-got", "x86-gotpcrel", "x86-gotpcrel-norelax"})
      if (has_flag(displacement, flag)) return symbol_of(displacement);
    return sum_with(use, {first, first + 2}, Asked::entry);
  }

  // The symbol of which one of the registers has what is asked, which the other is added to.
  StringRef sum_with(const MachineInstr& use, std::array<unsigned, 2> operands, Asked asked) const {
    for (const unsigned each : operands) {
      const MachineOperand& part = use.getOperand(each);
      if (!part.isReg() || !part.getReg()) continue;
      const StringRef symbol = linkers_symbol_in(use, part.getReg().asMCReg(), asked);
      if (!symbol.empty()) return symbol;
    }
    return {};
  }

  // What the call gets from memory, with the same operands.
  void load(MachineInstr& call, MCRegister into) const {
    const TargetInstrInfo& instructions = *function_.getSubtarget().getInstrInfo();
    static std::atomic<unsigned> known{0};
    unsigned number = known;
    while (instructions.getName(number) != "MOV64rm") ++number;
    known = number;
    auto built =
        BuildMI(*call.getParent(), call, call.getDebugLoc(), instructions.get(number), into);
    for (unsigned i = 0; i < 5; ++i) {
      built.add(call.getOperand(i));
      if (call.getOperand(i).isReg()) built->getOperand(i + 1).setIsKill(false);
    }
    built.cloneMemRefs(call);
  }

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
