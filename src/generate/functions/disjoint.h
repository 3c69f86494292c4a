#pragma once

// Overlapping counted ranges → pieces that do not overlap, each with the sum of the counts over it.
//
//     [----- 10 -----]                     [-10-][-- 15 --][5]
//           [----- 5 -----]        →
//
// Ranges with a count of zero mark code that is known but did not run: the parts of them that
// nothing covers come out as pieces of zero.

#include <vector>

#include "samples/counts.h"

namespace pgokit::generate {

using samples::RangeCount;

// `ranges` in any order, ascending ones are fastest; each pair of addresses once. Pieces ascend;
// their ends may lie between instructions.
std::vector<RangeCount> disjoint_pieces(const std::vector<RangeCount>& ranges);

}  // namespace pgokit::generate
