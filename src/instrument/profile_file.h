#pragma once

// The file of an instrumented profile (.mip): maps of programs, and what dumps said about them.
// A map file is the same without dumps.
//
//   output.write(instrument::write_profile(profile));
//   auto profile = TRY_IN(path, instrument::read_profile(file.bytes()));
//
// Source of truth of the layout: this reader; docs/formats/mip-profile.md draws it.

#include <string>

#include "base/result.h"
#include "instrument/module.h"

namespace pgokit::instrument {

bool is_profile(Bytes bytes);

// Modules are written as they stand, functions by address.
std::string write_profile(const Profile& profile);

// A file that is damaged anywhere is refused: it has a checksum.
Result<Profile> read_profile(Bytes bytes);

// The checksum of a file's contents, which is in its header at profile_crc_offset.
inline constexpr size_t profile_crc_offset = 12;
u32 profile_crc(Bytes file);

}  // namespace pgokit::instrument
