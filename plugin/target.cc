#include "target.h"

#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace pgokit::plugin {

using namespace llvm;

std::unique_ptr<Target> Target::create(MachineFunction& function) {
  const Triple& triple = function.getTarget().getTargetTriple();
  if (!triple.isOSBinFormatELF()) return nullptr;
  if (triple.getArch() == Triple::x86_64 && !triple.isX32()) return make_x86(function);
  if (triple.getArch() == Triple::aarch64) return make_aarch64(function);
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

bool Target::live_in(const Block& block, MCRegister reg) const {
  const TargetRegisterInfo& registers = *function_.getSubtarget().getRegisterInfo();
  return any_of(block.liveins(),
                [&](const auto& each) { return registers.regsOverlap(each.PhysReg, reg); });
}

std::string Target::local_label() {
  return (".Lmip_skip" + Twine(function_.getFunctionNumber()) + "_" + Twine(labels_++)).str();
}

bool Target::thread_locals_of_program() const {
  return !function_.getTarget().isPositionIndependent() ||
         function_.getFunction().getParent()->getPIELevel() != PIELevel::Default;
}

}  // namespace pgokit::plugin
