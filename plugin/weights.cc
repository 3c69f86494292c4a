#include "weights.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

namespace pgokit::plugin {
namespace {

using namespace llvm;

constexpr uint32_t unlikely = 1, likely = 2000;

enum class Ran { unknown, never, yes };

// Code of one place may be in several blocks of which only some ran: then it says that all did.
Ran ran(const BasicBlock& block, const DISubprogram& lines, const RanPlaces& places) {
  Ran result = Ran::unknown;
  for (const Instruction& each : block) {
    const DILocation* line = each.getDebugLoc();
    if (!line || !line->getLine() || line->getInlinedAt() || isa<PHINode>(each)) continue;
    const auto found =
        places.find({(line->getLine() - lines.getLine()) & 0xffff, line->getColumn()});
    if (found == places.end()) continue;
    if (found->second) return Ran::yes;
    result = Ran::never;
  }
  return result;
}

}  // namespace

unsigned weigh_branches(Function& function, const RanPlaces& places) {
  const DISubprogram* lines = function.getSubprogram();
  if (!lines || places.empty()) return 0;
  unsigned weighed = 0;
  for (BasicBlock& block : function) {
    Instruction& end = *block.getTerminator();
    if ((!isa<BranchInst>(end) && !isa<SwitchInst>(end)) || end.getNumSuccessors() < 2 ||
        end.getMetadata(LLVMContext::MD_prof))
      continue;
    SmallVector<uint32_t, 8> weights;
    for (const BasicBlock* to : successors(&block))
      weights.push_back(ran(*to, *lines, places) == Ran::never ? unlikely : likely);
    if (!is_contained(weights, unlikely) || !is_contained(weights, likely)) continue;
    end.setMetadata(LLVMContext::MD_prof,
                    MDBuilder(function.getContext()).createBranchWeights(weights));
    ++weighed;
  }
  return weighed;
}

}  // namespace pgokit::plugin
