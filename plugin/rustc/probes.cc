// What rustc loads (-Zllvm-plugins=): pseudo probes at the start of the pipeline, in front of the
// pass that reads a profile, as clang has them by -fpseudo-probe-for-profiling. rustc has no option
// for it; the code generator writes the probes of any module that has them.
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Transforms/IPO/SampleProfileProbe.h"

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  using namespace llvm;
  return {LLVM_PLUGIN_API_VERSION, "pgokit-rustc", "0.1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](ModulePassManager& passes, OptimizationLevel level) {
                  if (level != OptimizationLevel::O0)
                    passes.addPass(SampleProfileProbePass(nullptr));
                });
          }};
}
