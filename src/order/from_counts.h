#pragma once

// Counts of all branches → calls and weights of functions.
//
//   CountFacts facts = add_counts(counts, code, symbols, weight, model);
//
// Calls are branches to the first instruction of another function, indirect ones and tail calls too.
// The weight of a function is how many of its instructions were executed: as samples of a steady
// rate would show it, had each instruction the same time.

#include "order/model.h"
#include "order/symbols.h"
#include "program/code_map.h"
#include "samples/counts.h"

namespace pgokit::order {

struct CountFacts {
  u64 branches = 0;      // with an end in a function of the program
  u64 calls = 0;         // of those, executed
  u64 instructions = 0;  // executed in functions
};

// `weight`: how often the counts count. What they come to saturates.
CountFacts add_counts(const samples::Counts& counts, const program::CodeMap& code,
                      const LinkSymbols& symbols, u64 weight, Model& model);

}  // namespace pgokit::order
