#pragma once

// Instrumentation profiles as text (.proftext).
//
//   if (is_text(bytes)) TRY(read_text(bytes, facts, take));
//
// Lines that are empty or begin with '#' are passed over. docs/formats/instrumentation-profile.md
// has the grammar. Source of truth: llvm/lib/ProfileData/InstrProfReader.cpp, by experiment.

#include "instr_profile/model/facts.h"
#include "instr_profile/model/record.h"

namespace pgokit::instr_profile {

// By the first eight characters, as llvm-profdata does.
bool is_text(Bytes bytes);

Status read_text(Bytes bytes, Facts& facts, const TakeRecord& take);

// Of functions that values name and the profile does not have.
inline constexpr std::string_view external_symbol = "** External Symbol **";

}  // namespace pgokit::instr_profile
