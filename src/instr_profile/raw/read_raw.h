#pragma once

// .profraw files.
//
//   if (is_raw(bytes)) TRY(read_raw(bytes, facts, take));
//
// Functions come in the order of the file; addresses in values are hashes of names. Errors name the
// kind of the problem in llvm-profdata's words, what it is, and where.

#include "instr_profile/model/facts.h"
#include "instr_profile/raw/raw_part.h"

namespace pgokit::instr_profile {

Status read_raw(Bytes bytes, Facts& facts, const TakeRecord& take);

// How much the names of a file of `size` bytes may be, unpacked: each has a record and counters
// there, so that they are a few times the file at most.
inline u64 most_names(size_t size) { return (u64{1} << 20) + 8 * u64{size}; }

}  // namespace pgokit::instr_profile
