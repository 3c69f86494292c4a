#pragma once

// How dense a profile is, in words.

#include <string>
#include <string_view>

#include "base/types.h"
#include "perf/windows.h"
#include "pipeline/read_input.h"
#include "profile/model/notes.h"

namespace pgokit::cli {

// Of counted windows: "the profile will be 92 % like that of an endless recording"; where it is thin, `way` is named as
// what to record with. Empty if there is nothing to tell.
std::string density_of(const perf::Windows& windows, std::string_view way);

// "the profile is 92 % like that of an endless recording", or that they are too few to tell.
std::string what_windows_tell(const perf::Windows& windows, std::string_view is = "is");

// Of a whole run. Empty if nothing is missing.
std::string uncounted_text(u64 stretches);

// What is known of how a profile was recorded: it decides whether its density tells anything.
struct Evidence {
  perf::Windows windows;     // of which it is; none: of others, or not known
  bool is_of_whole = false;  // all that ran was counted: more of it would tell nothing new

  bool is_known() const { return is_of_whole || windows.number > 0; }
};
Evidence evidence_of(const pipeline::ReadInput& input);
// By what its recordings' notes say.
Evidence evidence_of(const profile::Notes& notes);
// More samples would optimize better.
bool is_thin(double density, const Evidence& evidence);

// "8,802.7", or "7.1 (thin: from 50 on more samples help little)".
std::string density_text(double density, const Evidence& evidence);

// For those who do not know how it was recorded.
inline constexpr std::string_view ways_to_more =
    "a larger --slowdown, for longer (--for), or with --exact, which counts all of a run";
// The same, of a program that made such a share of the recording's branches.
std::string ways_to_more_of(std::string_view program, double share);

}  // namespace pgokit::cli
