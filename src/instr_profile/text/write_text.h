#pragma once

// The text form of an instrumentation profile, as `llvm-profdata merge -text` writes it.
//
//   write_text(profile, sparse, take);        // take(piece) in order
//
// Functions are in the order of names and hashes. With `sparse`, names none of whose functions ran
// are left out. Source of truth: llvm/lib/ProfileData/InstrProfWriter.cpp, by experiment.

#include "instr_profile/model/profile.h"
#include "report/text_buffer.h"

namespace pgokit::instr_profile {

void write_text(const Profile& profile, bool sparse, const report::TakeText& take);

// One function; `names` are those of the values.
void write_record(const Record& record, const NameIndex& names, report::TextBuffer& out);

}  // namespace pgokit::instr_profile
