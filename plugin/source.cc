#include "source.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "runtime/mip_format.h"
#include "sites.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

constexpr char name_attribute[] = "pgokit.source";
constexpr char checksum_attribute[] = "pgokit.checksum";
constexpr char list_name[] = "pgokit.sources";

// FNV-1a, number by number.
struct Checksum {
  uint64_t value = 0xcbf29ce484222325u;
  void add(uint64_t number) { value = (value ^ number) * 0x100000001b3u; }
};

}  // namespace

std::string name_with_file(const Function& function) {
  const DISubprogram* lines = function.getSubprogram();
  const StringRef file = lines && lines->getUnit() ? lines->getUnit()->getFilename()
                                                   : function.getParent()->getSourceFileName();
  return (file + ";" + function.getName()).str();
}

std::string source_name(const Function& function) {
  return function.hasLocalLinkage() ? name_with_file(function) : function.getName().str();
}

std::string source_name(const DISubprogram& function) {
  const StringRef name =
      function.getLinkageName().empty() ? function.getName() : function.getLinkageName();
  if (!function.isLocalToUnit() || !function.getUnit()) return name.str();
  return (function.getUnit()->getFilename() + ";" + name).str();
}

std::pair<StringRef, StringRef> split_source_name(StringRef name) {
  const auto [file, rest] = name.rsplit(';');
  return rest.empty() ? std::pair(StringRef(), name) : std::pair(file, rest);
}

uint64_t checksum_of(const Function& function) {
  DenseMap<const BasicBlock*, uint64_t> number;
  for (const BasicBlock& block : function) number.insert({&block, number.size()});
  Checksum sum;
  sum.add(number.size());
  for (const BasicBlock& block : function) {
    uint64_t calls = 0, indirect = 0, sizes = 0;
    for (const Instruction& each : block) {
      calls += isa<CallBase>(each) && !isa<IntrinsicInst>(each);
      indirect += is_indirect_call(each);
      sizes += has_unknown_size(each);
    }
    sum.add(calls);
    sum.add(indirect);
    if (sizes) sum.add(~sizes);
    for (const BasicBlock* to : successors(&block)) sum.add(number.lookup(to) + 1);
  }
  return sum.value;
}

bool has_sites(const Function& function) {
  return any_of(instructions(function), [](const Instruction& each) {
    return is_indirect_call(each) || has_unknown_size(each);
  });
}

void note_sources(Module& module, uint32_t kinds) {
  LLVMContext& context = module.getContext();
  const bool all = kinds & (MIP_BLOCKS64 | MIP_BLOCK_COVERAGE);
  NamedMDNode* list =
      all || kinds & MIP_VALUES ? module.getOrInsertNamedMetadata(list_name) : nullptr;
  MDString* file = MDString::get(context, module.getSourceFileName());
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    const std::string name = source_name(function);
    const uint64_t checksum = checksum_of(function);
    if (function.hasLocalLinkage()) function.addFnAttr(name_attribute, name);
    function.addFnAttr(checksum_attribute, utohexstr(checksum));
    const bool sites = kinds & MIP_VALUES && has_sites(function);
    if (!list || !(all || sites)) continue;
    auto* sum = ConstantInt::get(Type::getInt64Ty(context), checksum);
    auto* flag = ConstantInt::getBool(context, sites);
    list->addOperand(
        MDNode::get(context, {MDString::get(context, name), file, ConstantAsMetadata::get(sum),
                              ConstantAsMetadata::get(flag)}));
  }
}

std::string noted_name(const Function& function) {
  return function.getFnAttribute(name_attribute).getValueAsString().str();
}

std::optional<uint64_t> noted_checksum(const Function& function) {
  uint64_t checksum = 0;
  const Attribute noted = function.getFnAttribute(checksum_attribute);
  if (!noted.isStringAttribute() || noted.getValueAsString().getAsInteger(16, checksum))
    return std::nullopt;
  return checksum;
}

SmallVector<NotedSource, 0> noted_sources(const Module& module) {
  SmallVector<NotedSource, 0> own, all;
  const NamedMDNode* list = module.getNamedMetadata(list_name);
  if (!list) return all;
  for (const MDNode* each : list->operands()) {
    const auto* name = dyn_cast<MDString>(each->getOperand(0));
    const auto* file = dyn_cast<MDString>(each->getOperand(1));
    const auto* sum = mdconst::dyn_extract<ConstantInt>(each->getOperand(2));
    const auto* sites = mdconst::dyn_extract<ConstantInt>(each->getOperand(3));
    if (!name || !file || !sum || !sites) continue;
    all.push_back({name->getString(), sum->getZExtValue(), sites->isOne()});
    if (file->getString() == module.getSourceFileName()) own.push_back(all.back());
  }
  return own.empty() ? all : own;
}

}  // namespace pgokit::plugin
