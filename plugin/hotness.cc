#include "hotness.h"

#include "llvm/Support/CommandLine.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

cl::opt<Attribute::AttrKind> cold_size(
    "pgokit-cold-size", cl::init(Attribute::MinSize),
    cl::desc("What functions that never ran become"),
    cl::values(clEnumValN(Attribute::MinSize, "minsize", "as small as possible, cold"),
               clEnumValN(Attribute::OptimizeForSize, "optsize", "small, cold"),
               clEnumValN(Attribute::Cold, "cold", "cold")));
cl::opt<Attribute::AttrKind> warm_size(
    "pgokit-warm-size", cl::init(Attribute::None),
    cl::desc("What functions that ran little become"),
    cl::values(clEnumValN(Attribute::MinSize, "minsize", "as small as possible"),
               clEnumValN(Attribute::OptimizeForSize, "optsize", "small"),
               clEnumValN(Attribute::None, "none", "what they are without a profile")));
cl::opt<Hotness> outlined("pgokit-outline", cl::init(Hotness::cold),
                          cl::desc("Functions that -enable-machine-outliner may take code from"),
                          cl::values(clEnumValN(Hotness::cold, "cold", "cold ones"),
                                     clEnumValN(Hotness::warm, "warm",
                                                "all that are not known to be hot"),
                                     clEnumValN(Hotness::hot, "all", "all")));

constexpr StringLiteral warm_attribute = "pgokit-warm";

void make_small(Function& function, Attribute::AttrKind size) {
  if (function.hasFnAttribute(Attribute::OptimizeNone)) return;
  if (size == Attribute::OptimizeForSize || size == Attribute::MinSize)
    function.addFnAttr(Attribute::OptimizeForSize);
  if (size == Attribute::MinSize) function.addFnAttr(Attribute::MinSize);
}

void make_fast(Function& function, bool often_called) {
  function.removeFnAttr(Attribute::Cold);
  function.removeFnAttr(Attribute::MinSize);
  function.removeFnAttr(Attribute::OptimizeForSize);
  function.addFnAttr(Attribute::Hot);
  if (often_called && !function.hasFnAttribute(Attribute::NoInline))
    function.addFnAttr(Attribute::InlineHint);
}

bool may_be_outlined(Hotness hotness) {
  if (outlined == Hotness::hot || hotness == Hotness::cold) return true;
  return outlined == Hotness::warm && hotness != Hotness::hot;
}

}  // namespace

void mark(Function& function, const FunctionHotness& known) {
  if (known.hotness == Hotness::hot) make_fast(function, known.often_called);
  if (known.hotness == Hotness::warm) {
    make_small(function, warm_size);
    if (!function.hasFnAttribute(Attribute::Cold)) function.addFnAttr(warm_attribute);
  }
  if (known.hotness == Hotness::cold) {
    function.removeFnAttr(Attribute::Hot);
    function.addFnAttr(Attribute::Cold);
    make_small(function, cold_size);
  }
  if (!may_be_outlined(known.hotness)) function.addFnAttr("nooutline");
}

void keep_warm(Module& module) {
  for (Function& function : module)
    if (function.hasFnAttribute(warm_attribute)) function.removeFnAttr(Attribute::Cold);
}

}  // namespace pgokit::plugin
