#include "use.h"

#include <algorithm>

#include "hotness.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"
#include "sites.h"
#include "source.h"
#include "stock_options.h"
#include "tables.h"
#include "use_file.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

cl::opt<std::string> use_file("pgokit-use",
                              cl::desc("File of what functions are compiled by: pgokit export "
                                       "--hotness, --targets"));

cl::opt<unsigned> most_targets("pgokit-use-targets", cl::init(8),
                               cl::desc("Targets that a call gets from that file; 0: all"));

constexpr uint32_t most_sizes = 22;  // that the stock pass reads

// As the pass that promotes knows it; `name` is as in the source. A local function of this module
// has its file's name, from whichever path that was compiled.
uint64_t id_of(const Module& module, StringRef name) {
  const auto [file, plain] = split_source_name(name);
  const Function* function = module.getFunction(plain);
  const bool local = function && function->hasLocalLinkage();
  if (local &&
      (file.empty() || sys::path::filename(file) ==
                           sys::path::filename(split_source_name(name_with_file(*function)).first)))
    return GlobalValue::getGUIDAssumingExternalLinkage(getIRPGOFuncName(*function));
  return GlobalValue::getGUIDAssumingExternalLinkage(name);
}

void tell(Module& module, const Twine& text, DiagnosticSeverity severity) {
  module.getContext().diagnose(
      DiagnosticInfoGeneric("pgokit: -pgokit-use: " + use_file + ": " + text, severity));
}

// Nothing where there are none.
void tell_without(Module& module, const std::vector<StringRef>& functions, const Twine& why) {
  constexpr size_t most = 8;
  if (functions.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(functions.size(), most); ++i)
    names += (i ? ", " : "") + functions[i].str();
  if (functions.size() > most) names += " and others";
  tell(module,
       "not used for " + Twine(functions.size()) +
           (functions.size() == 1 ? " function " : " functions ") + why + ": " + names,
       DS_Warning);
}

// The pass that makes copies and fills of their frequent sizes scales counts by those of blocks,
// which it takes for never run where there are none.
void keep_counts_of_sizes(const Module& module) {
  if (none_of(module, [](const Function& each) { return each.getEntryCount().has_value(); }))
    set_stock_option("pgo-memop-scale-count", false);
}

struct Attach : PassInfoMixin<Attach> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    std::string error;
    const auto file = UseFile::read(use_file, error);
    if (!file) {
      tell(module, error, DS_Error);
      return PreservedAnalyses::all();
    }
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    TableUses tables(module);
    std::vector<StringRef> changed, without_lines;
    for (Function& function : module) {
      if (function.isDeclaration()) continue;
      keep_name(function);
      const auto found = find(*file, function);
      if (found.changed) changed.push_back(function.getName());
      if (file->tells_hotness()) mark(function, hotness_of(*file, function, found));
      if (!found.function) continue;
      if (!function.getSubprogram() &&
          (!found.function->by_line.empty() || !found.function->places.empty()))
        without_lines.push_back(function.getName());
      weigh_branches(function, found.function->places);
      attach(function, *found.function, tables,
             functions.getResult<OptimizationRemarkEmitterAnalysis>(function));
    }
    tell_without(module, changed, "that changed since it was made");
    tell_without(module, without_lines,
                 "without lines, by which calls and blocks are found (-gline-tables-only)");
    keep_counts_of_sizes(module);
    if (file->tells_tables()) set_stock_option("enable-vtable-profile-use", true);
    return PreservedAnalyses::none();
  }

  // ThinLTO makes local functions global under other names; by this one it finds them as targets.
  static void keep_name(Function& function) {
    if (function.hasLocalLinkage() && function.hasAddressTaken())
      createPGOFuncNameMetadata(function, getIRPGOFuncName(function));
  }

  // Of functions that were inlined everywhere recordings do not tell whether they are local.
  static UseFile::Found find(const UseFile& file, const Function& function) {
    const uint64_t checksum = checksum_of(function);
    const auto found = file.find(source_name(function), checksum);
    if (found.function || found.changed || function.hasLocalLinkage()) return found;
    return file.find(name_with_file(function), checksum);
  }

  static FunctionHotness hotness_of(const UseFile& file, const Function& function,
                                    const UseFile::Found& found) {
    if (found.changed) return {};
    if (found.function && found.function->hotness.hotness != Hotness::unknown)
      return found.function->hotness;
    const FunctionProfile* named = file.find_by_name(function.getName());
    return named ? named->hotness : FunctionHotness();
  }

  static void attach(Function& function, const FunctionProfile& targets, TableUses& tables,
                     OptimizationRemarkEmitter& remarks) {
    SiteNumbers numbers;
    for (Instruction& each : instructions(function)) {
      const uint32_t number = numbers.next(each);
      if (!number || each.getMetadata(LLVMContext::MD_prof)) continue;
      if (has_unknown_size(each)) {
        const auto sizes = targets.sizes.find(number);
        if (sizes != targets.sizes.end()) attach_sizes(each, sizes->second);
        continue;
      }
      const CallTargets* known = targets.find(number);
      if (!known) known = find_by_line(each, targets);
      if (!known || known->targets.empty()) continue;
      attach(cast<CallBase>(each), *known, remarks);
      const auto through = targets.tables.find(number);
      if (through != targets.tables.end()) tables.attach(cast<CallBase>(each), through->second);
    }
  }

  static void attach_sizes(Instruction& copy, const CallTargets& known) {
    std::vector<InstrProfValueData> values;
    for (const CalledTarget& each : known.targets) {
      uint64_t size = 0;
      if (!each.name.getAsInteger(10, size)) values.push_back({size, each.count});
    }
    if (!values.empty())
      annotateValueSite(*copy.getModule(), copy, values, known.total, IPVK_MemOPSize, most_sizes);
  }

  static const CallTargets* find_by_line(const Instruction& call, const FunctionProfile& targets) {
    const DILocation* line = call.getDebugLoc();
    const DISubprogram* lines = call.getFunction()->getSubprogram();
    if (!line || !lines || line->getInlinedAt()) return nullptr;
    return targets.find((line->getLine() - lines->getLine()) & 0xffff, line->getColumn());
  }

  static void attach(CallBase& call, const CallTargets& known, OptimizationRemarkEmitter& remarks) {
    Module& module = *call.getModule();
    std::vector<InstrProfValueData> values;
    for (const CalledTarget& each : known.targets)
      values.push_back({id_of(module, each.name), each.count});
    annotateValueSite(module, call, values, known.total, IPVK_IndirectCallTarget,
                      most_targets ? +most_targets : static_cast<uint32_t>(values.size()));
    remarks.emit([&] {
      return OptimizationRemark("pgokit-use", "Targets", &call)
             << "called " << ore::NV("Total", known.total) << " times, most often "
             << ore::NV("Target", known.targets[0].name) << " ("
             << ore::NV("Count", known.targets[0].count) << ")";
    });
  }
};

struct RemoveTests : PassInfoMixin<RemoveTests> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    remove_tests(module);
    return PreservedAnalyses::none();
  }
};

struct KeepWarm : PassInfoMixin<KeepWarm> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    keep_warm(module);
    return PreservedAnalyses::all();
  }
};

void add_promotion(ModulePassManager& passes, bool in_link) {
  passes.addPass(RequireAnalysisPass<ProfileSummaryAnalysis, Module>());
  passes.addPass(PGOIndirectCallPromotion(in_link, /*SamplePGO=*/false));
}

}  // namespace

void add_use_passes(ModulePassManager& passes) {
  if (use_file.empty()) return;
  passes.addPass(Attach());
  add_promotion(passes, false);
  passes.addPass(RemoveTests());
}

void add_use_passes_of_functions(FunctionPassManager& passes) {
  if (!use_file.empty()) passes.addPass(PGOMemOPSizeOpt());
}

void add_use_passes_of_link(ModulePassManager& passes) { add_promotion(passes, true); }

void add_use_passes_of_end(ModulePassManager& passes) { passes.addPass(KeepWarm()); }

}  // namespace pgokit::plugin
