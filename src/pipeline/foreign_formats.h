#pragma once

// Files that people take for recordings or profiles and that pgokit does not read, by name.
//
//   if (auto what = foreign_format(bytes); !what.empty()) return fail("{}: {}", path, what);

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::pipeline {

// "a profile for BOLT (fdata): ...", with what to give instead; empty for anything else.
std::string_view foreign_format(Bytes bytes);

// Fails for what is a recording, a program or of a foreign format, where a profile is wanted.
Status refuse_other_than_profile(const std::string& path, Bytes bytes);

}  // namespace pgokit::pipeline
