// What a function is compiled like because of how much it ran when it was measured: attributes at
// the start of the pipeline.
#pragma once
#include "llvm/IR/Module.h"

namespace pgokit::plugin {

enum class Hotness { unknown, cold, warm, hot };

struct FunctionHotness {
  Hotness hotness = Hotness::unknown;
  uint64_t work = 0;          // executions, calls or samples: for people
  bool often_called = false;  // worth being inlined
};

// Cold functions become small, hot ones fast, also where the compilation asks for small ones; those
// of which nothing is known stay as they are. What the machine outliner (-enable-machine-outliner)
// may not take from is marked.
void mark(llvm::Function& function, const FunctionHotness& known);

// clang takes a function for cold whose paths all call cold ones. What was seen to run is not, also
// if what it calls ran too shortly to be sampled.
void keep_warm(llvm::Module& module);

}  // namespace pgokit::plugin
