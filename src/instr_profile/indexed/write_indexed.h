#pragma once

// Writes .profdata, version 13, as llvm-profdata 22 does, byte for byte.
//
//   std::string bytes = write_indexed(profile, sparse);
//
// With `sparse`, names none of whose functions ran are left out.

#include <string>

#include "instr_profile/model/profile.h"

namespace pgokit::instr_profile {

std::string write_indexed(const Profile& profile, bool sparse);

}  // namespace pgokit::instr_profile
