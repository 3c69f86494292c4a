#pragma once

// What a form of file has no place for.
//
//   for (const auto& loss : losses(profile, Format::binary, {})) warn(loss);
//
// What would change the meaning of the rest is refused by the writers instead (probes and contexts
// in the binary form).

#include <string>
#include <vector>

#include "profile/format.h"

namespace pgokit::profile {

bool has_vtables(const Profile& profile, unsigned threads = 0);  // 0: all cores

// One sentence for each thing that is in the profile and would not be in the file.
std::vector<std::string> losses(const Profile& profile, Format format, const WriteOptions& options);

}  // namespace pgokit::profile
