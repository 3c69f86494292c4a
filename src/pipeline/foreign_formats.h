#pragma once

// Files that people take for recordings or profiles and that pgokit does not read, by name.
//
//   if (auto what = foreign_format(bytes); !what.empty()) return fail("{}: {}", path, what);

#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::pipeline {

// "a profile for BOLT (fdata): ...", with what to give instead; empty for anything else.
std::string_view foreign_format(Bytes bytes);

}  // namespace pgokit::pipeline
