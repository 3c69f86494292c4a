#pragma once

// Cache-directed sort: function order for the steady state, after the model of Newell and Pupyrev
// ("Improved Basic Block Reordering", 2020, and its sequel for functions in LLVM D152833).
//
//   std::vector<u32> order = order::cache_directed(model, {});
//
// Chains of functions are joined two at a time, always those that gain most for the bytes that
// have to move closer. A join gains in two ways: calls between the two get shorter (a call is
// worth its weight divided by a root of its distance), and hot code is diluted less, so that it
// misses the cache less often. In the end chains are placed by density: samples per byte.
// Functions that neither call nor are called nor have samples are left out.

#include "order/model.h"

namespace pgokit::order {

struct CacheModel {
  double entries = 16, entry_size = 2048;  // of the cache (or TLB) that is modelled
  double frequency_scale = 0.25;           // what misses weigh beside distances
  double distance_power = 0.25;
  u32 chain_functions = 512;  // of a chain at most: bounds the work for functions that all call
};

std::vector<u32> cache_directed(const Model& model, const CacheModel& cache);

}  // namespace pgokit::order
