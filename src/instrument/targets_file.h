#pragma once

// The text by which the plugin promotes indirect calls (-pgokit-use): docs/targets.md draws it.
//
//   auto file = instrument::targets_file(profile);
//   if (file.calls == 0) return fail("no calls");
//   output.write(file.text);

#include <string>

#include "instrument/module.h"

namespace pgokit::instrument {

struct TargetsFile {
  std::string text;
  u64 calls = 0;          // in the text; copies of one call that was inlined are added up
  u64 without_place = 0;  // sites that were reached and cannot be found in the source
  u64 unwritable = 0;     // names of functions and targets that fit in no line, which are left out
};

// Targets outside of the program are left out.
TargetsFile targets_file(const Profile& profile);

}  // namespace pgokit::instrument
