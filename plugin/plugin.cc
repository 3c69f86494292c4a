// What clang (-fpass-plugin=) and lld (--load-pass-plugin=) load. Functions are chosen at the start
// of the pipeline and instrumented when code is generated, which with LTO happens in the linker.
#include "instrument.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "settings.h"
#include "stock_options.h"
#include "use.h"

namespace {

using namespace llvm;

struct Tag : PassInfoMixin<Tag> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    return pgokit::plugin::tag_module(module) ? PreservedAnalyses::none()
                                              : PreservedAnalyses::all();
  }
};

// After layout, so that labels and blocks are final; without optimization there is no layout, and
// frames are the last step. A static object, so that the linkers and drivers that only load the
// library get it too.
const RegisterTargetPassConfigCallback on_code_generation([](TargetMachine&,
                                                             legacy::PassManagerBase&,
                                                             TargetPassConfig* config) {
  const bool optimized = config->getOptLevel() != CodeGenOptLevel::None;
  config->insertPass(optimized ? &MachineBlockPlacementID : &PrologEpilogCodeInserterID,
                     pgokit::plugin::make_instrument_pass());
});

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {
      LLVM_PLUGIN_API_VERSION, "pgokit", "0.1", [](PassBuilder& builder) {
        builder.registerPipelineStartEPCallback(
            [](ModulePassManager& passes, OptimizationLevel level) {
              passes.addPass(Tag());
              if (level != OptimizationLevel::O0) pgokit::plugin::add_use_passes(passes);
            });
        builder.registerPipelineEarlySimplificationEPCallback(
            [](ModulePassManager& passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
              if (phase == ThinOrFullLTOPhase::ThinLTOPostLink)
                passes.addPass(pgokit::plugin::KeepCallsApart());
              if (phase == ThinOrFullLTOPhase::ThinLTOPostLink && level != OptimizationLevel::O0)
                pgokit::plugin::add_use_passes_of_link(passes);
            });
        builder.registerFullLinkTimeOptimizationEarlyEPCallback(
            [](ModulePassManager& passes, OptimizationLevel) {
              passes.addPass(pgokit::plugin::KeepCallsApart());
            });
        builder.registerScalarOptimizerLateEPCallback(
            [](FunctionPassManager& passes, OptimizationLevel) {
              pgokit::plugin::add_use_passes_of_functions(passes);
            });
        builder.registerOptimizerLastEPCallback(
            [](ModulePassManager& passes, OptimizationLevel, ThinOrFullLTOPhase) {
              pgokit::plugin::add_use_passes_of_end(passes);
            });
      }};
}
