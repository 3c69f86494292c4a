#include "stock_options.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "runtime/mip_format.h"
#include "settings.h"

namespace pgokit::plugin {

using namespace llvm;

namespace {

template <class Value>
void set(StringRef name, Value value) {
  const auto& options = cl::getRegisteredOptions();
  const auto found = options.find(name);
  if (found != options.end() && found->second->getNumOccurrences() == 0)
    static_cast<cl::opt<Value>*>(found->second)->setValue(value);
}

}  // namespace

void set_stock_option(StringRef name, bool value) { set(name, value); }

void keep_calls_apart() {
  set("simplifycfg-sink-common", false);
  set("enable-tail-merge", cl::boolOrDefault::BOU_FALSE);
}

PreservedAnalyses KeepCallsApart::run(Module& module, ModuleAnalysisManager&) {
  if (any_of(module, [](const Function& function) {
        const auto settings = settings_of(function);
        return settings && settings->kinds & MIP_VALUES;
      }))
    keep_calls_apart();
  return PreservedAnalyses::all();
}

}  // namespace pgokit::plugin
