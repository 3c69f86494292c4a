#pragma once

// Writes .profdata, version 13, as llvm-profdata 22 does, byte for byte.
//
//   write_indexed(profile, sparse, [&](std::string_view piece) { output.write(piece); });
//   std::string bytes = write_indexed(profile, sparse);          // all of it
//
// With `sparse`, names none of whose functions ran are left out.

#include <string>

#include "instr_profile/model/profile.h"
#include "report/text_buffer.h"

namespace pgokit::instr_profile {

void write_indexed(const Profile& profile, bool sparse, const report::TakeText& take);
std::string write_indexed(const Profile& profile, bool sparse);

}  // namespace pgokit::instr_profile
