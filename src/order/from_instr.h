#pragma once

// LLVM's instrumentation profiles → traces, weights of functions, and targets of indirect calls.
//
//   InstrFacts facts = TRY_IN(path, add_instr_profile(bytes, {.source = path}, cut, model, cuts));
//
// Traces are those of temporal profiles (-ftemporal-profile): of a raw file one, of an
// indexed one or text a sample of those that were merged. A function's weight is the sum of its
// counters. Direct calls are not in such profiles.

#include <span>
#include <vector>

#include "base/result.h"
#include "instr_profile/model/facts.h"
#include "order/cut.h"

namespace pgokit::order {

struct InstrInput {
  u64 weight = 1;
  std::string source = {};
};

struct InstrFacts {
  u64 traces = 0;       // that were added
  u64 unnamed = 0;      // entries of traces whose function the profile does not name
  std::string warning;  // of the first thing in the file that is strange
};

Result<InstrFacts> add_instr_profile(Bytes bytes, const InstrInput& input, const Cut& cut,
                                     Model& model, CutFacts& cuts);

// What a linker calls the function: without the file, which profiles have in front of names of
// local functions: "dir/file.c;name", and "file.c:name" where the front end counts.
std::string_view linkage_name(std::string_view name);

}  // namespace pgokit::order
