#pragma once

// Files that people take for recordings or profiles and that pgokit does not read, by name.
//
//   if (auto what = foreign_format(bytes); !what.empty()) return fail("{}: {}", path, what);

#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::pipeline {

// What JSON of these commands has and other JSON has not.
inline constexpr std::string_view key_of_explanation = "\"findings\"";
inline constexpr std::string_view key_of_measurement = "\"comparisons\"";

// "a profile for BOLT (fdata): ...", with what to give instead; empty for anything else.
std::string_view foreign_format(Bytes bytes);

}  // namespace pgokit::pipeline
