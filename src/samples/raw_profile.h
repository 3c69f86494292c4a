#pragma once

// Counts as a text file (llvm-profgen's "unsymbolized profile"): what remains of a recording
// without the program's names.
//
//   2                  number of ranges
//   860-871:193        start-last:count, hexadecimal, as offsets from `base`
//   876-881:196
//   1                  number of branches
//   871->780:198       from->to:count
//
// Numbers of lines and counts are decimal. A context-sensitive file puts `[context]` in front of
// each such block: unwind/contexts/raw_contexts.h reads those.

#include <string>
#include <string_view>

#include "base/result.h"
#include "samples/counts.h"

namespace pgokit::samples {

std::string write_raw_profile(const Counts& counts, BinaryAddr base);

// Whether the first two lines are a number and "A-B:N", or the first is a context.
bool looks_like_raw_profile(std::string_view text);

// Equal addresses are summed; several blocks behind each other too.
Result<Counts> read_raw_profile(std::string_view text, BinaryAddr base);

}  // namespace pgokit::samples
