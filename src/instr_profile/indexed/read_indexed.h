#pragma once

// .profdata files: LLVM's indexed instrumentation profiles, versions 4 to 13 (LLVM 3.9 to 22).
//
//   if (is_indexed(bytes)) TRY(read_indexed(bytes, facts, take));
//
// Functions come in the order of the file, which is that of a hash table. Its payload is read from
// front to back; the table itself, for finding one function, is not looked at.
// docs/formats/instrumentation-profile.md has the layout. Source of truth:
// llvm/include/llvm/ProfileData/InstrProf.h and Support/OnDiskHashTable.h, and what the tools write.

#include "instr_profile/model/facts.h"
#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

bool is_indexed(Bytes bytes);

Status read_indexed(Bytes bytes, Facts& facts, const TakeRecord& take);

}  // namespace pgokit::instr_profile
