// Weights of branches, from which blocks of a function ever ran.
#pragma once
#include <map>
#include <utility>

#include "llvm/IR/Function.h"

namespace pgokit::plugin {

// Line after the function's, and column → whether code of it ran.
using RanPlaces = std::map<std::pair<uint32_t, uint32_t>, bool>;

// A branch of which one side ran and another never did gets the weights of __builtin_expect: code
// is laid out by them, and -hot-cold-split takes out what never ran. Gives the number of branches.
unsigned weigh_branches(llvm::Function& function, const RanPlaces& places);

}  // namespace pgokit::plugin
