#include <algorithm>
#include <array>

#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"
#include "runtime/mip_format.h"
#include "target.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

class AArch64 final : public Target {
 public:
  using Target::Target;

  void update(Block& block, At at, Update update, const std::string& place) override {
    if (update == Update::atomic_add32 || update == Update::atomic_add64)
      return add_atomically(block, at, update == Update::atomic_add64 ? "x" : "w", place);
    const Pair pair = free_pair(block);
    const std::string page = "x" + std::to_string(pair.a);
    const std::string value = (update == Update::add64 ? "x" : "w") + std::to_string(pair.b);
    const std::string at_place = "[" + page + ", " + low(place) + "]";
    std::string text = "adrp " + page + ", " + high(place) + "\n";
    if (update == Update::mark) {
      text += "strb wzr, " + at_place;
    } else {
      text += "ldr " + value + ", " + at_place + "\nadd " + value + ", " + value + ", #1\nstr " +
              value + ", " + at_place;
    }
    if (pair.spill) {
      const std::string both = page + ", x" + std::to_string(pair.b);
      text = "stp " + both + ", [sp, #-16]!\n" + text + "\nldp " + both + ", [sp], #16";
      return put(block, at, text);
    }
    const std::string a = "X" + std::to_string(pair.a), b = "X" + std::to_string(pair.b);
    put(block, at, text, {a, b});
  }

  void first_run(Block& entry, At at, const std::string& place) override {
    const std::string over = local_label();
    put(entry, at,
        "adrp x16, " + high(place) + "\nldr w17, [x16, " + low(place) + "]\ncbnz w17, " + over +
            "\nadd x16, x16, " + low(place) + "\nmov x17, x30\nbl __pgokit_first_run\n" + over +
            ":",
        {"X16", "X17"});
  }

  void log_id(Block& entry, At at, const std::string& place, uint8_t mask) override {
    call_unless(entry, at, place, "tbnz w17, #" + std::to_string(countr_zero(mask)),
                "__pgokit_log_id");
  }

  void log_call(Block& entry, At at, const std::string& place) override {
    call_unless(entry, at, place, "cbz w17", "__pgokit_log_call");
  }

  void sample_edge(Block& entry, At at) override {
    const std::string over = local_label(), name = "__pgokit_edge_countdown";
    const std::string address = thread_locals_of_program()
                                    ? "mrs x16, TPIDR_EL0\nadd x16, x16, #:tprel_hi12:" + name +
                                          ", lsl #12\nadd x16, x16, #:tprel_lo12_nc:" + name
                                    : "adrp x17, :gottprel:" + name +
                                          "\nldr x17, [x17, :gottprel_lo12:" + name +
                                          "]\nmrs x16, TPIDR_EL0\nadd x16, x16, x17";
    put(entry, at,
        address + "\nldr w17, [x16]\nsub w17, w17, #1\nstr w17, [x16]\ntbz w17, #31, " + over +
            "\nmov x17, x30\nbl __pgokit_sample_edge\n" + over + ":",
        {"X16", "X17"});
  }

  void find_values(MachineInstr& call, uint32_t kinds,
                   SmallVectorImpl<Recorded>& found) const override {
    const StringRef name = opcode(call);
    const bool authenticated = name.starts_with("BLRA") || name.starts_with("AUTH");
    const bool indirect = !authenticated &&
                          (name.starts_with("BLR") || name.starts_with("TCRETURNr")) &&
                          call.getNumOperands() > 0 && call.getOperand(0).isReg();
    const MCRegister value = indirect ? call.getOperand(0).getReg().asMCReg() : MCRegister();
    // Of a call that is direct but for how its target is reached.
    const StringRef callee =
        indirect ? linkers_symbol_in(call, value, Asked::address) : StringRef();
    if (kinds & MIP_SIZES) find_size(call, "X2", callee, found);
    if (!indirect || name_of(value).empty() || (!callee.empty() && !is_numbered(call, callee)))
      return;
    const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
    if (kinds & MIP_TARGETS) found.push_back({MIP_TARGETS, &call, &call, value});
    if (!(kinds & MIP_TABLES)) return;
    MachineInstr* load = setter(call, value, registers);
    if (!load || (opcode(*load) != "LDRXui" && opcode(*load) != "LDURXi")) return;
    if (!load->getOperand(1).isReg() || !load->getOperand(2).isImm()) return;
    const MCRegister base = load->getOperand(1).getReg().asMCReg();
    if (!name_of(base).empty()) add_table(*load, call, base, registers, found);
  }

  // Needs no flags.
  bool record(const Recorded& recorded, const std::string& site) override {
    MachineInstr& before = *recorded.before;
    LivePhysRegs live;
    find_live(before, live);
    SmallVector<std::string, 2> free, clobbers;
    for (unsigned each = 0; each < 18 && free.size() < 2; ++each) {
      const std::string number = std::to_string(17 - each);
      const MCRegister candidate = reg("X" + number);
      if (candidate == recorded.value || !live.available(function_.getRegInfo(), candidate))
        continue;
      free.push_back("x" + number);
      clobbers.push_back("X" + number);
    }
    if (free.size() < 2) return false;
    const std::string &page = free[0], &other = free[1], value = name_of(recorded.value);
    const std::string over = local_label(), get_page = "adrp " + page + ", " + high(site) + "\n",
                      hits = "[" + page + ", " + low(site + "+8") + "]";
    put(*before.getParent(), before.getIterator(),
        get_page + "ldr " + other + ", [" + page + ", " + low(site) + "]\nsub " + other + ", " +
            other + ", " + value + "\ncbz " + other + ", " + over + "\nadd " + page + ", " + page +
            ", " + low(site) + "\nstp " + value + ", " + page +
            ", [sp, #-16]!\nstp x29, x30, [sp, #-16]!\nbl __pgokit_value\nldp x29, x30, [sp], "
            "#16\nldp " +
            value + ", " + page + ", [sp], #16\n" + get_page + over + ":\nldr " + other + ", " +
            hits + "\nadd " + other + ", " + other + ", #1\nstr " + other + ", " + hits,
        {clobbers[0], clobbers[1]});
    return true;
  }

 protected:
  // -fno-plt, -mcmodel=large.
  StringRef linkers_symbol(const MachineInstr& set, Asked asked) const override {
    if (asked != Asked::address) return {};
    const StringRef name = opcode(set);
    const bool loaded = name == "LDRXui";
    if (!loaded && name != "LOADgot" && name != "MOVKXi" && name != "MOVaddr" &&
        name != "MOVaddrEXT")
      return {};
    for (const MachineOperand& each : set.operands()) {
      const StringRef symbol = symbol_of(each);
      if (!symbol.empty()) return loaded && !is_linkers_table(each) ? StringRef() : symbol;
    }
    return {};
  }

 private:
  // The page of a place, and where it is in the page, as the assembler of the object format has them.
  std::string high(StringRef place) const {
    return is_mach_o() ? with(place, "@PAGE") : place.str();
  }
  std::string low(StringRef place) const {
    return is_mach_o() ? with(place, "@PAGEOFF") : (":lo12:" + place).str();
  }
  bool is_mach_o() const { return function_.getTarget().getTargetTriple().isOSBinFormatMachO(); }
  // The assembler takes no sum behind it.
  static std::string with(StringRef place, StringRef what) {
    auto [symbol, rest] = place.split('+');
    uint64_t offset = 0, part = 0;
    for (; !rest.empty() && !rest.consumeInteger(10, part); rest.consume_front("+")) offset += part;
    return (symbol + what + (offset ? "+" + Twine(offset) : Twine())).str();
  }

  bool is_linkers_table(const MachineOperand& address) const {
    const TargetInstrInfo& instructions = *function_.getSubtarget().getInstrInfo();
    const unsigned flags =
        instructions.decomposeMachineOperandsTargetFlags(address.getTargetFlags()).second;
    return any_of(instructions.getSerializableBitmaskMachineOperandTargetFlags(),
                  [&](const auto& each) {
                    return StringRef(each.second) == "aarch64-got" && flags & each.first;
                  });
  }

  // Empty: none that holds addresses.
  std::string name_of(MCRegister reg) const {
    const StringRef name = function_.getSubtarget().getRegisterInfo()->getName(reg);
    if (name == "FP") return "x29";
    if (name == "LR") return "x30";
    return name.starts_with("X") && name != "XZR" && !name.contains('_') ? name.lower() : "";
  }

  // Of the byte at `place`. The run time looks at the test, four instructions before the address it
  // returns to.
  void call_unless(Block& entry, At at, const std::string& place, const std::string& test,
                   const std::string& function) {
    const std::string over = local_label();
    put(entry, at,
        "adrp x16, " + high(place) + "\nldrb w17, [x16, " + low(place) + "]\n" + test + ", " +
            over + "\nadd x16, x16, " + low(place) + "\nmov x17, x30\nbl " + function + "\n" +
            over + ":",
        {"X16", "X17"});
  }

  // On any processor of the architecture; one that has more atomic instructions runs this too.
  void add_atomically(Block& block, At at, const std::string& width, const std::string& place) {
    const SmallVector<unsigned, 3> free = free_registers(block, 3);
    const bool spill = free.size() < 3;
    const unsigned address = spill ? 16 : free[0], value = spill ? 17 : free[1],
                   failed = spill ? 15 : free[2];
    const std::string page = "x" + std::to_string(address), number = width + std::to_string(value),
                      flag = "w" + std::to_string(failed);
    const std::string again = local_label();
    const std::string text = "adrp " + page + ", " + high(place) + "\nadd " + page + ", " + page +
                             ", " + low(place) + "\n" + again + ":\nldxr " + number + ", [" + page +
                             "]\nadd " + number + ", " + number + ", #1\nstxr " + flag + ", " +
                             number + ", [" + page + "]\ncbnz " + flag + ", " + again;
    if (spill)
      return put(block, at,
                 "stp x16, x17, [sp, #-32]!\nstr x15, [sp, #16]\n" + text +
                     "\nldr x15, [sp, #16]\nldp x16, x17, [sp], #32");
    const std::string names[] = {"X" + std::to_string(address), "X" + std::to_string(value),
                                 "X" + std::to_string(failed)};
    put(block, at, text, {names[0], names[1], names[2]});
  }

  struct Pair {
    unsigned a, b;
    bool spill;
  };

  Pair free_pair(const Block& block) const {
    const SmallVector<unsigned, 3> found = free_registers(block, 2);
    return found.size() < 2 ? Pair{16, 17, true} : Pair{found[0], found[1], false};
  }

  SmallVector<unsigned, 3> free_registers(const Block& block, size_t wanted) const {
    static constexpr std::array<unsigned, 18> candidates{16, 17, 15, 14, 13, 12, 11, 10, 9,
                                                         8,  7,  6,  5,  4,  3,  2,  1,  0};
    const CallingConv::ID convention = function_.getFunction().getCallingConv();
    const bool plain = convention == CallingConv::C || convention == CallingConv::Fast ||
                       convention == CallingConv::Cold;
    SmallVector<unsigned, 3> found;
    for (const unsigned each : candidates) {
      if (each < 16 && !plain) break;  // other conventions keep more registers
      const MCRegister candidate = reg("X" + std::to_string(each));
      if (live_in(block, candidate) || function_.getRegInfo().isReserved(candidate)) continue;
      found.push_back(each);
      if (found.size() == wanted) break;
    }
    return found;
  }
};

}  // namespace

std::unique_ptr<Target> make_aarch64(MachineFunction& function) {
  return std::make_unique<AArch64>(function);
}

}  // namespace pgokit::plugin
