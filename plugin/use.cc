#include "use.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

cl::opt<std::string> targets_file("pgokit-use",
                                  cl::desc("File of targets of indirect calls, by which they are "
                                           "promoted: pgokit export --targets"));

struct Target {
  StringRef name;
  uint64_t count;
};

struct Call {
  uint64_t total = 0;
  std::vector<Target> targets;
};

// Function, line after the function's, column.
using Place = std::tuple<StringRef, uint32_t, uint32_t>;

class Targets {
 public:
  // Null: there is no such file, or it is another; `error` says what is wrong.
  static std::unique_ptr<Targets> read(StringRef path, std::string& error) {
    auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!file) {
      error = file.getError().message();
      return nullptr;
    }
    auto targets = std::make_unique<Targets>();
    targets->text_ = std::move(*file);
    if (targets->parse(error)) return targets;
    return nullptr;
  }

  // A column that is not known (0) fits the only call of the line.
  const Call* find(StringRef function, uint32_t line, uint32_t column) const {
    auto found = calls_.find({function, line, column});
    if (found != calls_.end()) return &found->second;
    found = calls_.lower_bound({function, line, 0});
    const bool here = found != calls_.end() && std::get<0>(found->first) == function &&
                      std::get<1>(found->first) == line;
    if (!here || (column && std::get<2>(found->first))) return nullptr;
    const auto next = std::next(found);
    const bool alone = next == calls_.end() || std::get<0>(next->first) != function ||
                       std::get<1>(next->first) != line;
    return alone ? &found->second : nullptr;
  }

 private:
  bool parse(std::string& error) {
    StringRef rest = text_->getBuffer();
    if (!rest.consume_front("# pgokit targets 1\n")) {
      error = "not a file of targets: 'pgokit export --targets' writes them";
      return false;
    }
    Call* call = nullptr;
    for (unsigned number = 2; !rest.empty(); ++number) {
      auto [line, after] = rest.split('\n');
      rest = after;
      if (line.empty() ||
          (line[0] == ' ' ? take_target(line.drop_front(), call) : take_call(line, call)))
        continue;
      error = "line " + std::to_string(number) + " makes no sense";
      return false;
    }
    return true;
  }

  static bool take_target(StringRef line, Call* call) {
    const auto [count, name] = line.split(' ');
    Target target{name, 0};
    if (name.empty() || count.getAsInteger(10, target.count)) return false;
    if (call) call->targets.push_back(target);
    return true;
  }

  // Other kinds than calls are for other readers.
  bool take_call(StringRef line, Call*& call) {
    SmallVector<StringRef, 5> parts;
    line.split(parts, ' ', 4);
    uint32_t offset, column;
    uint64_t total;
    if (parts.size() != 5 || parts[1].getAsInteger(10, offset) ||
        parts[2].getAsInteger(10, column) || parts[3].getAsInteger(10, total))
      return false;
    call = parts[0] == "call" ? &calls_[{parts[4], offset, column}] : nullptr;
    if (call) call->total = total;
    return true;
  }

  std::unique_ptr<MemoryBuffer> text_;
  std::map<Place, Call> calls_;
};

// As the pass that promotes knows it.
uint64_t id_of(const Module& module, StringRef name) {
  const Function* function = module.getFunction(name);
  return GlobalValue::getGUIDAssumingExternalLinkage(
      function && function->hasLocalLinkage() ? getIRPGOFuncName(*function) : name.str());
}

struct Attach : PassInfoMixin<Attach> {
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    std::string error;
    const auto targets = Targets::read(targets_file, error);
    if (!targets) {
      module.getContext().diagnose(
          DiagnosticInfoGeneric("pgokit: -pgokit-use: " + targets_file + ": " + error));
      return PreservedAnalyses::all();
    }
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    for (Function& function : module) {
      if (function.isDeclaration()) continue;
      for (Instruction& each : instructions(function)) {
        auto* call = dyn_cast<CallBase>(&each);
        if (call && call->isIndirectCall())
          attach(module, *call, *targets,
                 functions.getResult<OptimizationRemarkEmitterAnalysis>(function));
      }
    }
    return PreservedAnalyses::none();
  }

  static void attach(Module& module, CallBase& call, const Targets& targets,
                     OptimizationRemarkEmitter& remarks) {
    const DILocation* line = call.getDebugLoc();
    const DISubprogram* function = call.getFunction()->getSubprogram();
    if (!line || !function || line->getInlinedAt() || call.getMetadata(LLVMContext::MD_prof))
      return;
    const Call* known =
        targets.find(call.getFunction()->getName(),
                     (line->getLine() - function->getLine()) & 0xffff, line->getColumn());
    if (!known || known->targets.empty()) return;
    std::vector<InstrProfValueData> values;
    for (const Target& each : known->targets)
      values.push_back({id_of(module, each.name), each.count});
    annotateValueSite(module, call, values, known->total, IPVK_IndirectCallTarget,
                      static_cast<uint32_t>(std::min<size_t>(values.size(), 8)));
    remarks.emit([&] {
      return OptimizationRemark("pgokit-use", "Targets", &call)
             << "called " << ore::NV("Total", known->total) << " times, most often "
             << ore::NV("Target", known->targets[0].name) << " ("
             << ore::NV("Count", known->targets[0].count) << ")";
    });
  }
};

void add_promotion(ModulePassManager& passes, bool in_link) {
  passes.addPass(RequireAnalysisPass<ProfileSummaryAnalysis, Module>());
  passes.addPass(PGOIndirectCallPromotion(in_link, /*SamplePGO=*/false));
}

}  // namespace

void add_use_passes(ModulePassManager& passes) {
  if (targets_file.empty()) return;
  passes.addPass(Attach());
  add_promotion(passes, false);
}

void add_use_passes_of_link(ModulePassManager& passes) { add_promotion(passes, true); }

}  // namespace pgokit::plugin
