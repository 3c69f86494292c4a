#include "target.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "runtime/mip_format.h"
#include "sites.h"

namespace pgokit::plugin {

using namespace llvm;

std::unique_ptr<Target> Target::create(MachineFunction& function) {
  const Triple& triple = function.getTarget().getTargetTriple();
  if (!triple.isOSBinFormatELF() && !triple.isOSBinFormatMachO()) return nullptr;
  if (triple.getArch() == Triple::x86_64 && !triple.isX32()) return make_x86(function);
  if (triple.getArch() == Triple::aarch64 && !triple.isArm64e()) return make_aarch64(function);
  if (!triple.isOSBinFormatELF()) return nullptr;
  const TargetSubtargetInfo& processor = function.getSubtarget();
  if ((triple.getArch() == Triple::arm || triple.getArch() == Triple::thumb) &&
      processor.checkFeatures("+v7") && !processor.checkFeatures("+mclass"))
    return make_arm(function);
  return nullptr;
}

Target::Target(MachineFunction& function) : function_(function) {}

std::string escape_asm(StringRef text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '$') result += '$';
  }
  return result;
}

void Target::put(Block& block, At at, const std::string& text, ArrayRef<StringRef> clobbers) {
  // The lines of a prologue are never noted.
  const bool prologue = at != block.end() && at->getFlag(MachineInstr::FrameSetup);
  put(block, at, prologue ? DebugLoc() : block.findDebugLoc(at), text, clobbers);
}

void Target::put(Block& block, At at, const DebugLoc& line, const std::string& text,
                 ArrayRef<StringRef> clobbers) {
  const TargetInstrInfo& instructions = *function_.getSubtarget().getInstrInfo();
  const char* kept = function_.createExternalSymbolName(escape_asm(text));
  auto built = BuildMI(block, at, line, instructions.get(TargetOpcode::INLINEASM))
                   .addExternalSymbol(kept)
                   .addImm(InlineAsm::Extra_HasSideEffects | InlineAsm::Extra_MayLoad |
                           InlineAsm::Extra_MayStore);
  for (const StringRef name : clobbers) {
    built.addImm(InlineAsm::Flag(InlineAsm::Kind::Clobber, 1));
    built.addReg(reg(name),
                 RegState::Define | RegState::Dead | RegState::EarlyClobber | RegState::Implicit);
  }
}

MCRegister Target::reg(StringRef name) const {
  const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
  for (unsigned each = 1; each < registers.getNumRegs(); ++each) {
    if (name == registers.getName(each)) return MCRegister(each);
  }
  llvm_unreachable("a register that the target does not have");
}

StringRef Target::opcode(const MachineInstr& instruction) const {
  return function_.getSubtarget().getInstrInfo()->getName(instruction.getOpcode());
}

void Target::find_live(const MachineInstr& before, LivePhysRegs& live) const {
  live.init(*function_.getSubtarget().getRegisterInfo());
  live.addLiveOuts(*before.getParent());
  for (auto each = before.getParent()->rbegin(); &*each != &before; ++each)
    live.stepBackward(*each);
  live.stepBackward(before);
}

MachineInstr* Target::setter(MachineInstr& use, MCRegister reg,
                             const TargetRegisterInfo& registers) {
  for (MachineInstr* each = use.getPrevNode(); each; each = each->getPrevNode()) {
    if (each->modifiesRegister(reg, &registers)) return each;
  }
  return nullptr;
}

bool Target::changes(MachineInstr& from, const MachineInstr& to, MCRegister reg,
                     const TargetRegisterInfo& registers) {
  for (MachineInstr* each = &from; each && each != &to; each = each->getNextNode()) {
    if (each->modifiesRegister(reg, &registers)) return true;
  }
  return false;
}

StringRef Target::linkers_symbol_in(const MachineInstr& use, MCRegister value, Asked asked) const {
  const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
  using From = MachineBasicBlock::const_reverse_iterator;
  SmallVector<std::tuple<const Block*, From, MCRegister>, 8> rest;
  SmallSet<std::pair<const Block*, unsigned>, 16> ends;
  rest.emplace_back(use.getParent(), std::next(use.getReverseIterator()), value);
  StringRef found;
  while (!rest.empty()) {
    const auto [block, from, in] = rest.pop_back_val();
    const From set = std::find_if(from, block->rend(), [&, in = in](const MachineInstr& each) {
      return each.modifiesRegister(in, &registers);
    });
    if (set == block->rend()) {
      if (block->pred_empty()) return {};
      for (const Block* each : block->predecessors())
        if (ends.insert({each, in.id()}).second) rest.emplace_back(each, each->rbegin(), in);
    } else if (const auto copy = function_.getSubtarget().getInstrInfo()->isCopyInstr(*set)) {
      rest.emplace_back(block, std::next(set), copy->Source->getReg().asMCReg());
    } else {
      const StringRef symbol = linkers_symbol(*set, asked);
      if (symbol.empty() || (!found.empty() && symbol != found)) return {};
      found = symbol;
    }
  }
  return found;
}

namespace {

bool has_size(StringRef callee) {
  return callee == "memcpy" || callee == "memmove" || callee == "memset";
}

}  // namespace

bool Target::is_numbered(const MachineInstr& call, StringRef callee) {
  const DILocation* line = call.getDebugLoc();
  return line && site_number(*line) && !has_size(callee);
}

StringRef Target::symbol_of(const MachineOperand& operand) {
  if (operand.isGlobal()) return operand.getGlobal()->getName();
  return operand.isSymbol() ? StringRef(operand.getSymbolName()) : StringRef();
}

void Target::find_size(MachineInstr& call, StringRef size, StringRef loaded,
                       SmallVectorImpl<Recorded>& found) const {
  if (!call.isCall() || call.getNumOperands() == 0) return;
  StringRef callee;
  for (const MachineOperand& each : call.operands()) {
    callee = symbol_of(each);
    if (!callee.empty()) break;
  }
  if (!has_size(callee.empty() ? loaded : callee)) return;
  const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
  const MCRegister value = reg(size);
  const MachineInstr* set = setter(call, value, registers);
  if (set && set->isMoveImmediate()) return;
  found.push_back({MIP_SIZES, &call, &call, value});
}

void Target::add_table(MachineInstr& load, MachineInstr& call, MCRegister base,
                       const TargetRegisterInfo& registers, SmallVectorImpl<Recorded>& found) {
  MachineInstr& before = changes(load, call, base, registers) ? load : call;
  found.push_back({MIP_TABLES, &before, &call, base});
}

bool Target::live_in(const Block& block, MCRegister reg) const {
  const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
  return any_of(block.liveins(),
                [&](const auto& each) { return registers.regsOverlap(each.PhysReg, reg); });
}

std::string Target::local_label() {
  return (function_.getDataLayout().getPrivateGlobalPrefix() + "mip_skip" +
          Twine(function_.getFunctionNumber()) + "_" + Twine(labels_++))
      .str();
}

bool Target::thread_locals_of_program() const {
  return !function_.getTarget().isPositionIndependent() ||
         function_.getFunction().getParent()->getPIELevel() != PIELevel::Default;
}

}  // namespace pgokit::plugin
