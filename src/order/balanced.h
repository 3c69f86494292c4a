#pragma once

// Balanced partitioning: one order for many traces, after "Compressing Graphs and Indexes with
// Recursive Graph Bisection" (Dhulipala et al., KDD 2016) and "Optimizing Function Layout for
// Mobile Applications" (Hoag, Lee, Mestre, Pupyrev, LCTES 2023).
//
//   std::vector<u32> order = order::balanced(model, {.threads = 4});
//
// The functions are divided into two halves so that functions which start-ups need at about the
// same time are in the same half; then each half again, down to a few functions. "About the same
// time" is: in one of the first 1, 3, 7, 15... eighths of a page of a trace. Functions of no trace
// are left out.

#include "order/model.h"

namespace pgokit::order {

struct BalancedOptions {
  u64 page_size = 4096;
  u32 rounds = 40;       // of exchanges between two halves at most
  u32 smallest = 4;      // so many functions are not divided
  unsigned threads = 0;  // 0: all cores; the result is the same for any number
};

std::vector<u32> balanced(const Model& model, const BalancedOptions& options);

}  // namespace pgokit::order
