#include "cold.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

cl::opt<std::string> list_file("pgokit-cold-functions",
                               cl::desc("File of functions that never run, one name a line"));
cl::opt<Attribute::AttrKind> size_attribute(
    "pgokit-cold-size", cl::init(Attribute::MinSize), cl::desc("What such functions become"),
    cl::values(clEnumValN(Attribute::MinSize, "minsize", "as small as possible, cold"),
               clEnumValN(Attribute::OptimizeForSize, "optsize", "small, cold"),
               clEnumValN(Attribute::Cold, "cold", "cold")));

void mark(Function& function) {
  function.removeFnAttr(Attribute::Hot);
  function.addFnAttr(Attribute::Cold);
  if (function.hasFnAttribute(Attribute::OptimizeNone)) return;
  if (size_attribute != Attribute::Cold) function.addFnAttr(Attribute::OptimizeForSize);
  if (size_attribute == Attribute::MinSize) function.addFnAttr(Attribute::MinSize);
}

}  // namespace

bool mark_cold(Module& module) {
  if (list_file.empty()) return false;
  auto file = MemoryBuffer::getFile(list_file, /*IsText=*/true);
  if (!file) {
    module.getContext().diagnose(DiagnosticInfoGeneric(
        "pgokit: -pgokit-cold-functions: " + list_file + ": " + file.getError().message()));
    return false;
  }
  bool any = false;
  for (StringRef rest = (*file)->getBuffer(); !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.trim("\r");
    if (line.empty() || line.starts_with("#")) continue;
    Function* function = module.getFunction(line);
    if (!function || function->isDeclaration()) continue;
    mark(*function);
    any = true;
  }
  return any;
}

}  // namespace pgokit::plugin
