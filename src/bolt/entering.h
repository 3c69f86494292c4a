#pragma once

// Functions that were not hit and yet begin blocks in those that were, because they jump into the
// middle of them: cold parts, and hand-written code.
//
//   for (u32 function : entering_functions(file, functions, hit, threads)) decode(function);
//
// All code is searched, but not decoded: of whatever looks like a branch into a function that was
// hit the function around it is returned. Some of these have no such branch.

#include <span>
#include <vector>

#include "bolt/functions.h"

namespace pgokit::bolt {

// `hit` and the result: numbers of functions, ascending.
std::vector<u32> entering_functions(const object::File& file, const Functions& functions,
                                    std::span<const u32> hit, unsigned threads);

}  // namespace pgokit::bolt
