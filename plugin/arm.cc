#include <algorithm>
#include <array>

#include "llvm/CodeGen/MachineConstantPool.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"
#include "runtime/mip_format.h"
#include "target.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

// Armv7, in both instruction sets: the text is that of the unified syntax, and only the distance
// from an instruction to the program counter it sees differs. There is no red zone, so what has no
// free register pushes one.
class Arm final : public Target {
 public:
  explicit Arm(MachineFunction& function)
      : Target(function), thumb_(function.getSubtarget().checkFeatures("+thumb-mode")) {}

  void update(Block& block, At at, Update update, const std::string& place) override {
    const bool atomic = update == Update::atomic_add32 || update == Update::atomic_add64;
    const bool wide = update == Update::add64 || update == Update::atomic_add64;
    const Scratch free = scratch(block, at, atomic ? 3 : 2, atomic || wide);
    const std::string &address = free.names[0], &value = free.names[1];
    std::string text = get_address(address, place);
    if (update == Update::mark) {
      text += "mov " + value + ", #0\nstrb " + value + ", [" + address + "]";
    } else if (atomic) {
      text += add_atomically(address, value, free.names[2]);
      if (wide) {
        const std::string over = local_label();
        text += "\ncmp " + value + ", #0\nbne " + over + "\nadd " + address + ", " + address +
                ", #4\n" + add_atomically(address, value, free.names[2]) + "\n" + over + ":";
      }
    } else {
      text += wide ? add64(address, value, 0)
                   : "ldr " + value + ", [" + address + "]\nadd " + value + ", " + value +
                         ", #1\nstr " + value + ", [" + address + "]";
    }
    put(block, at, free.before + text + free.after, free.clobbers);
  }

  void first_run(Block& entry, At at, const std::string& place) override {
    call_if(entry, at, place, "ldr", "cmp $, #0", "bne", "__pgokit_first_run");
  }

  void log_id(Block& entry, At at, const std::string& place, uint8_t mask) override {
    const std::string number = "#" + std::to_string(mask);
    call_if(entry, at, place, "ldrb", "tst $, " + number, "bne", "__pgokit_log_id",
            "mov r1, " + number + "\n");
  }

  void log_call(Block& entry, At at, const std::string& place) override {
    call_if(entry, at, place, "ldrb", "cmp $, #0", "beq", "__pgokit_log_call");
  }

  // The distance from the thread pointer is known when the module is loaded. Its place in the
  // linker's table is given as a distance from the literal.
  void sample_edge(Block& entry, At at) override {
    const std::string over = local_label(), here = local_label(), literal = local_label(),
                      past = local_label();
    put(entry, at,
        push_for_call + "ldr r0, " + literal + "\n" + here + ":\n" + add_pc("r0") +
            "\nldr r0, [r0]\nmrc p15, #0, r1, c13, c0, #3\nadd r0, r0, r1\nldr r1, [r0]\n"
            "subs r1, r1, #1\nstr r1, [r0]\nbpl " +
            over + "\nbl __pgokit_sample_edge\n" + over + ":\n" + pop_after_call + "\nb " + past +
            "\n.p2align 2\n" + literal + ":\n.long __pgokit_edge_countdown(gottpoff)-((" + here +
            pc_ahead() + ")-" + literal + ")\n" + past + ":",
        {"CPSR"});
  }

  void find_values(MachineInstr& call, uint32_t kinds,
                   SmallVectorImpl<Recorded>& found) const override {
    const TargetInstrInfo& instructions = *function_.getSubtarget().getInstrInfo();
    if (instructions.isPredicated(call)) return;  // it may not happen
    const MCRegister value = called_register(call);
    // Of a call that is direct but for how its target is reached.
    const StringRef callee = value ? linkers_symbol_in(call, value, Asked::address) : StringRef();
    if (kinds & MIP_SIZES) find_size(call, "R2", callee, found);
    if (!value || (!callee.empty() && !is_numbered(call, callee))) return;
    if (kinds & MIP_TARGETS) found.push_back({MIP_TARGETS, &call, &call, value});
    if (!(kinds & MIP_TABLES)) return;
    const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
    MachineInstr* load = setter(call, value, registers);
    if (!load || !is_load(*load) || instructions.isPredicated(*load)) return;
    if (!load->getOperand(1).isReg() || !load->getOperand(2).isImm()) return;
    const MCRegister base = load->getOperand(1).getReg().asMCReg();
    if (!name_of(base).empty()) add_table(*load, call, base, registers, found);
  }

  bool record(const Recorded& recorded, const std::string& site) override {
    MachineInstr& before = *recorded.before;
    Block& block = *before.getParent();
    const Scratch free = scratch(block, before.getIterator(), 2, true, recorded.value);
    const std::string &place = free.names[0], &other = free.names[1],
                      value = name_of(recorded.value), over = local_label();
    put(block, before.getIterator(),
        free.before + get_address(place, site) + "ldr " + other + ", [" + place + "]\ncmp " +
            other + ", " + value + "\nbeq " + over + "\npush {r12, lr}\nstr " + value +
            ", [sp, #-4]!\nstr " + place +
            ", [sp, #-4]!\nbl __pgokit_value\nadd sp, sp, #8\npop {r12, lr}\n" + over + ":\n" +
            add64(place, other, 8) + free.after,
        free.clobbers);
    return true;
  }

 protected:
  // -mlong-calls, and functions that are called often in small code: an immediate in two parts, a
  // literal, or what lies where the literal says (the linker's table).
  StringRef linkers_symbol(const MachineInstr& set, Asked asked) const override {
    if (asked != Asked::address) return {};
    for (const MachineOperand& each : set.operands())
      if (each.isCPI()) return symbol_of_literal(each.getIndex());
    const StringRef name = opcode(set);
    const bool added = name.contains("PICADD"), loaded = is_load(set);
    if (added || loaded) {
      const MachineInstr* source = setter_of(set, 1);
      const StringRef symbol = source ? linkers_symbol(*source, asked) : StringRef();
      return added || symbol.contains("GOT") ? symbol : StringRef();
    }
    if (!name.contains("MOVTi16") && !name.contains("MOVi32imm") && !name.contains("MOV_ga"))
      return {};
    for (const MachineOperand& each : set.operands()) {
      const StringRef symbol = symbol_of(each);
      if (!symbol.empty()) return symbol;
    }
    return {};
  }

 private:
  struct Scratch {
    SmallVector<std::string, 4> names;
    SmallVector<StringRef, 4> clobbers;
    std::string before, after;  // around the text that uses them
  };

  static constexpr std::array<const char*, 5> scratch_registers{"R12", "R3", "R2", "R1", "R0"};

  // What a call at the entry changes besides what the run time keeps: the linker may put code that
  // uses r12 in between. The run time finds the function's return address in the last of them.
  static inline const std::string push_for_call = "push {r0, r1, r12, lr}\n";
  static inline const std::string pop_after_call = "pop {r0, r1, r12, lr}";

  // Where the program counter is, seen from an instruction.
  const char* pc_ahead() const { return thumb_ ? "+4" : "+8"; }
  std::string add_pc(const std::string& to) const {
    return "add " + to + ", pc" + (thumb_ ? "" : ", " + to);
  }

  std::string get_address(const std::string& to, const std::string& place) {
    const std::string here = local_label();
    const std::string distance = "(" + place + "-(" + here + pc_ahead() + "))\n";
    return "movw " + to + ", #:lower16:" + distance + "movt " + to + ", #:upper16:" + distance +
           here + ":\n" + add_pc(to) + "\n";
  }

  static std::string add64(const std::string& address, const std::string& value, int offset) {
    const std::string low = ", [" + address + ", #" + std::to_string(offset) + "]\n",
                      high = ", [" + address + ", #" + std::to_string(offset + 4) + "]";
    return "ldr " + value + low + "adds " + value + ", " + value + ", #1\nstr " + value + low +
           "ldr " + value + high + "\nadc " + value + ", " + value + ", #0\nstr " + value + high;
  }

  // 32 bits; `value` is then what was stored. A count of 64 bits is two of them: whoever makes the
  // lower one 0 adds to the upper one.
  std::string add_atomically(const std::string& address, const std::string& value,
                             const std::string& failed) {
    const std::string again = local_label();
    return again + ":\nldrex " + value + ", [" + address + "]\nadd " + value + ", " + value +
           ", #1\nstrex " + failed + ", " + value + ", [" + address + "]\ncmp " + failed +
           ", #0\nbne " + again;
  }

  // `test` with $ for the register, after which `branch` leads around the call.
  void call_if(Block& entry, At at, const std::string& place, const std::string& load,
               std::string test, const std::string& branch, const std::string& function,
               const std::string& argument = "") {
    const std::string over = local_label();
    const Scratch free = scratch(entry, at, 1, true);
    const std::string& value = free.names[0];
    test.replace(test.find('$'), 1, value);
    put(entry, at,
        free.before + get_address(value, place) + load + " " + value + ", [" + value + "]\n" +
            test + "\n" + branch + " " + over + "\n" + push_for_call + get_address("r0", place) +
            argument + "bl " + function + "\n" + pop_after_call + "\n" + over + ":" + free.after,
        free.clobbers);
  }

  // So many registers other than `kept`, with what saves those that are needed; with `flags` the
  // condition flags may be changed as well.
  Scratch scratch(Block& block, At at, size_t count, bool flags, MCRegister kept = {}) const {
    LivePhysRegs live;
    if (at != block.end()) {
      find_live(*at, live);
    } else {
      live.init(*function_.getSubtarget().getRegisterInfo());
      live.addLiveOuts(block);
    }
    const bool save_flags = flags && live.contains(reg("CPSR"));
    Scratch result;
    SmallVector<std::string, 4> pushed;
    for (const char* name : scratch_registers) {
      if (result.names.size() == count + save_flags) break;
      if (reg(name) == kept || !live.available(function_.getRegInfo(), reg(name))) continue;
      result.names.push_back(StringRef(name).lower());
      result.clobbers.push_back(name);
    }
    for (auto each = scratch_registers.rbegin(); result.names.size() < count + save_flags; ++each) {
      const std::string name = StringRef(*each).lower();
      if (reg(*each) == kept || is_contained(result.names, name)) continue;
      result.names.push_back(name);
      pushed.push_back(name);
    }
    if (!pushed.empty()) {
      const std::string list = "{" + join(pushed) + "}";
      result.before = "push " + list + "\n";
      result.after = "\npop " + list;
    }
    if (save_flags) {
      const std::string keeper = result.names.pop_back_val();
      result.before += "mrs " + keeper + ", apsr\n";
      result.after = "\nmsr apsr_nzcvq, " + keeper + result.after;
    } else if (flags) {
      result.clobbers.push_back("CPSR");
    }
    return result;
  }

  static std::string join(ArrayRef<std::string> names) {
    std::string result;
    for (const std::string& each : names) result += (result.empty() ? "" : ", ") + each;
    return result;
  }

  // Empty: none that holds addresses.
  std::string name_of(MCRegister reg) const {
    const StringRef name = function_.getSubtarget().getRegisterInfo()->getName(reg);
    if (name == "LR") return "lr";
    const bool number = name.size() > 1 && name[0] == 'R' && isDigit(name[1]);
    return number && !name.contains('_') ? name.lower() : "";
  }

  // None: what is called is not in a register.
  MCRegister called_register(const MachineInstr& call) const {
    const StringRef name = opcode(call);
    if (!name.contains("BLXr") && !name.starts_with("BLX") && !name.contains("BX_CALL") &&
        !name.contains("BMOVPCRX_CALL") && !name.contains("TAILJMPr") &&
        !name.contains("TCRETURNri"))
      return {};
    for (const MachineOperand& each : call.explicit_operands()) {
      if (each.isGlobal() || each.isSymbol()) return {};
      if (each.isReg() && each.getReg() && !name_of(each.getReg().asMCReg()).empty())
        return each.getReg().asMCReg();
    }
    return {};
  }

  bool is_load(const MachineInstr& instruction) const {
    const StringRef name = opcode(instruction);
    return name == "LDRi12" || name == "t2LDRi12" || name == "t2LDRi8" || name == "tLDRi";
  }

  // Of an operand that is a register, in the block.
  const MachineInstr* setter_of(const MachineInstr& use, unsigned operand) const {
    if (use.getNumOperands() <= operand || !use.getOperand(operand).isReg()) return nullptr;
    const TargetRegisterInfo& all = *function_.getSubtarget().getRegisterInfo();
    return setter(const_cast<MachineInstr&>(use), use.getOperand(operand).getReg().asMCReg(), all);
  }

  StringRef symbol_of_literal(int index) const {
    const MachineConstantPool& pool = *function_.getConstantPool();
    if (index < 0 || static_cast<size_t>(index) >= pool.getConstants().size()) return {};
    const MachineConstantPoolEntry& entry = pool.getConstants()[index];
    if (!entry.isMachineConstantPoolEntry()) {
      const auto* value = dyn_cast<GlobalValue>(entry.Val.ConstVal);
      return value ? value->getName() : StringRef();
    }
    std::string text;
    raw_string_ostream(text) << *entry.Val.MachineCPVal;
    return function_.createExternalSymbolName(text);
  }

  bool thumb_;
};

}  // namespace

std::unique_ptr<Target> make_arm(MachineFunction& function) {
  return std::make_unique<Arm>(function);
}

}  // namespace pgokit::plugin
