#pragma once

// What raw files of programs lack that were built with -profile-correlate: their functions are in
// the program's file, and the raw file has counters only.
//
//   Facts facts;
//   facts.correlation = &correlation;
//   TRY(read_raw(bytes, facts, take));
//
// instr_profile/correlate makes it of the program.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace pgokit::instr_profile {

struct CorrelatedFunction {
  u64 name_hash = 0, hash = 0;
  u64 counters_at = 0;  // bytes from the first counter of the program
  u32 counters = 0;
};

struct Correlation {
  std::vector<CorrelatedFunction> functions;
  std::vector<std::string_view> names;
  std::deque<std::string> texts;  // what names are in, where not the program
};

}  // namespace pgokit::instr_profile
