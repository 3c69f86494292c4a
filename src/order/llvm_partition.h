#pragma once

// The order that llvm-profdata makes of the traces of a temporal profile: the same functions at the
// same places, so that its output can be compared byte for byte.
//
//   std::vector<std::vector<u64>> traces{{1, 2, 3}, {1, 3}};     // functions by any numbers
//   std::vector<u64> order = order::llvm_partition(traces);
//
// The method is balanced partitioning, as in order/balanced.h, which is the better one for new
// orders: it knows the sizes of functions and the weights of traces.
// Source of truth: the papers named there, and llvm/lib/Support/BalancedPartitioning.cpp for what
// they leave open; test/differential/instr.py compares with llvm-profdata 22.

#include <span>
#include <vector>

#include "base/types.h"

namespace pgokit::order {

// `threads`: 0: all cores; the result is the same for any number.
std::vector<u64> llvm_partition(std::span<const std::vector<u64>> traces, unsigned threads = 0);

}  // namespace pgokit::order
