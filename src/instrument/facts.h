#pragma once

// What a module's data sums up to, and its functions in the orders in which people look at them.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "instrument/inlined.h"
#include "instrument/module.h"

namespace pgokit::instrument {

struct FunctionFacts {
  u32 function = 0;  // number in its module
  bool ran = false;
  u64 ran_dumps = 0, calls = 0;
  u64 work = 0;  // executions of all its blocks; where they are not counted, its calls
  u32 blocks = 0, blocks_ran = 0;  // 0 and 0 where that is not known
};

struct ModuleFacts {
  std::vector<FunctionFacts> functions;  // by number
  u64 ran = 0, calls = 0, work = 0;
  u64 blocks = 0, blocks_ran = 0;
  u64 code = 0, code_ran = 0;  // bytes of functions whose size is known, and of those that ran
};

ModuleFacts facts_of(const Module& module);

// Most work first; equals by address.
std::vector<u32> by_work(const ModuleFacts& facts);
// In the order of first runs: the mean rank over the dumps in which it ran. Others are left out.
std::vector<u32> by_first_run(const Module& module);
// Those that never ran, largest first.
std::vector<u32> never_ran(const Module& module);

// Names of which no function of any module ran, as profiles know them, sorted. Functions whose
// kinds do not tell, and those of `inlined`, are taken to have run.
std::vector<std::string> names_that_never_ran(std::span<const Module> modules,
                                              const InlinedRuns& inlined);

// Mean rank of its first runs; nullopt: it never ran, or order was not collected.
std::optional<double> mean_rank(const FirstRuns& first);

}  // namespace pgokit::instrument
