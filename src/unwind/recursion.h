#pragma once

// Recursion in calling contexts: a b a b c becomes a b c, so that contexts of all depths of a
// recursion are one.
//
//   std::vector<u32> frames = {a, a, b, c, b, c, d};
//   compress_recursion(frames, -1);                     // a b c d
//
// For window lengths 1, 2, 3, ... one pass from left to right takes out every immediate repetition
// of a block of that length, as long as two blocks fit into what is left.

#include <span>
#include <vector>

#include "base/types.h"

namespace pgokit::unwind {

// Frames are equal when their numbers are. `longest` block: -1 for any, 0 leaves all as it is.
void compress_recursion(std::vector<u32>& frames, i64 longest);
// Whether that would leave anything out.
bool has_recursion(std::span<const u32> frames, i64 longest);

}  // namespace pgokit::unwind
