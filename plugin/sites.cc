#include "sites.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

// A block of the source that begins in such a line is none: the rest is the number of the site.
constexpr uint32_t marker = 1u << 31;

bool has_lines(const Module& module) {
  return any_of(module, [](const Function& each) { return each.getSubprogram(); });
}

DISubprogram::DISPFlags flags_of(const Function& function) {
  auto flags = DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized;
  return function.hasLocalLinkage() ? flags | DISubprogram::SPFlagLocalToUnit : flags;
}

// All calls need one: what is inlined at a call without a line loses its own.
void add_lines(Module& module) {
  DIBuilder builder(module);
  DIFile* file = builder.createFile(module.getSourceFileName(), "");
  builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C_plus_plus_14), file, "pgokit",
                            true, "", 0, "", DICompileUnit::NoDebug);
  DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    DISubprogram* lines =
        builder.createFunction(file, function.getName(), function.getName(), file, 0, type, 0,
                               DINode::FlagArtificial, flags_of(function));
    function.setSubprogram(lines);
    for (Instruction& each : instructions(function)) {
      if (isa<CallBase>(each)) each.setDebugLoc(DILocation::get(module.getContext(), 0, 0, lines));
    }
  }
  builder.finalize();
  // Without the flag they are dropped where bitcode is read.
  constexpr char version[] = "Debug Info Version";
  if (!module.getModuleFlag(version))
    module.addModuleFlag(Module::Warning, version, DEBUG_METADATA_VERSION);
}

void note(Instruction& site, uint32_t number) {
  const DILocation* line = site.getDebugLoc();
  if (!line || line->getInlinedAt()) return;
  LLVMContext& context = site.getContext();
  DILocalScope* scope = line->getScope();
  auto* block = DILexicalBlock::get(context, scope, scope->getFile(), marker | number, 0);
  site.setDebugLoc(DILocation::get(context, line->getLine(), line->getColumn(), block));
}

}  // namespace

bool is_indirect_call(const Instruction& each) {
  const auto* call = dyn_cast<CallBase>(&each);
  return call && call->isIndirectCall();
}

bool has_unknown_size(const Instruction& each) {
  const auto* copy = dyn_cast<MemIntrinsic>(&each);
  return copy && !isa<ConstantInt>(copy->getLength());
}

uint32_t SiteNumbers::next(const Instruction& each) {
  if (is_indirect_call(each)) return ++calls_;
  return has_unknown_size(each) ? ++sizes_ : 0;
}

void number_sites(Module& module) {
  if (!has_lines(module)) add_lines(module);
  for (Function& function : module) {
    SiteNumbers numbers;
    for (Instruction& each : instructions(function)) {
      if (const uint32_t number = numbers.next(each)) note(each, number);
    }
  }
}

uint32_t site_number(const DILocation& line) {
  for (const DILocalScope* scope = line.getScope(); scope;) {
    const auto* block = dyn_cast<DILexicalBlockBase>(scope);
    if (!block) return 0;
    const auto* begin = dyn_cast<DILexicalBlock>(block);
    if (begin && begin->getLine() & marker) return begin->getLine() & ~marker;
    scope = block->getScope();
  }
  return 0;
}

}  // namespace pgokit::plugin
