#pragma once

// The order in which llvm-profgen 22 takes up the samples it has read: that of a hash table of
// theirs, which shows where the first of several samples decides something.

#include <vector>

#include "base/types.h"

namespace pgokit::unwind {

struct NotedSample {
  u64 place = 0;      // ascends through the input
  u64 identity = 0;   // equal for equal samples
  u64 llvm_hash = 0;  // what llvm-profgen puts it into its table by
};

// Folds the next number of a sample into its llvm_hash: the addresses of the chain, leaf first,
// then source and target of each branch, newest first.
inline u64 extend_llvm_hash(u64 hash, u64 number) { return hash * 33 + number; }
inline constexpr u64 empty_llvm_hash = 5381;

// For each list, by number of the sample, its place in that order. Equal samples have one.
std::vector<std::vector<u32>> llvm_order(const std::vector<std::vector<NotedSample>>& samples);

}  // namespace pgokit::unwind
