#pragma once

// The profile that `pgokit generate` makes of an input with counts, for commands that compare or
// judge profiles.
//
//   if (has_counts(file.bytes()))
//     std::string bytes = TRY(profile_of({.input = path, .binary = "app"})).bytes;

#include <string>

#include "base/file.h"

namespace pgokit::cli {

// A recording, raw counts, counters: a profile can be made of it, and it is none yet.
bool has_counts(Bytes bytes);

struct ProfileOf {
  std::string input;
  std::string binary;  // the program that was recorded; empty: the one with most samples
  bool use_dwarf = false;
  bool ignore_build_id = false;
};

struct MadeProfile {
  std::string bytes;    // a file of the extensible binary form
  std::string program;  // it is of
};

// An error where `pgokit generate` has one.
Result<MadeProfile> profile_of(const ProfileOf& options);

}  // namespace pgokit::cli
