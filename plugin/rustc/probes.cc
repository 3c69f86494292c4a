// What rustc loads (-Zllvm-plugins=): pseudo probes at the start of the pipeline, in front of the
// pass that reads a profile, as clang has them by -fpseudo-probe-for-profiling. rustc has no option
// for it; the code generator writes the probes of any module that has them.
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/IPO/SampleProfileProbe.h"

namespace {

using namespace llvm;

// rustc inlines before there is LLVM IR, so a function begins with code of others, and of the
// prebuilt library's generic functions always. A probe would be written as one of the function
// inlined into itself, and a call as one of the function that its line is of; the pass that reads
// the profile looks for neither. Both get the place in this function at which that code is inlined.
bool moved_into_function(Instruction& one) {
  const DILocation* at = one.getDebugLoc();
  if (!at || !at->getInlinedAt()) return false;
  const DILocation* own = at;
  while (const DILocation* next = own->getInlinedAt()) own = next;
  one.setDebugLoc(own->cloneWithDiscriminator(at->getDiscriminator()));
  return true;
}

bool has_probe(const Instruction& one) {
  return isa<PseudoProbeInst>(one) || (isa<CallBase>(one) && !isa<IntrinsicInst>(one));
}

struct OwnLocations : PassInfoMixin<OwnLocations> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Function& function, FunctionAnalysisManager&) {
    bool changed = false;
    for (Instruction& one : instructions(function))
      if (has_probe(one)) changed |= moved_into_function(one);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "pgokit-rustc", "0.1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](ModulePassManager& passes, OptimizationLevel level) {
                  if (level == OptimizationLevel::O0) return;
                  passes.addPass(SampleProfileProbePass(nullptr));
                  passes.addPass(createModuleToFunctionPassAdaptor(OwnLocations()));
                });
            // Code that was copied since shares the counts of its probes, where the profile is read
            // again in the link.
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
                  if (level != OptimizationLevel::O0 && phase == ThinOrFullLTOPhase::ThinLTOPreLink)
                    passes.addPass(PseudoProbeUpdatePass());
                });
          }};
}
