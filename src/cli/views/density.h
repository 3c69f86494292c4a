#pragma once

// How dense a profile is, in words.

#include <string>
#include <string_view>

#include "base/types.h"
#include "perf/windows.h"

namespace pgokit::cli {

// Of counted windows: "the profile will be 92 % like that of an endless recording"; where it is thin, `way` is named as
// what to record with. Empty if there is nothing to tell.
std::string density_of(const perf::Windows& windows, std::string_view way);

// Of a whole run. Empty if nothing is missing.
std::string uncounted_text(u64 stretches);

// "8,802.7", or "7.1 (thin: from 50 on more samples help little)".
std::string density_text(double density);
// What a density means that is below profile::dense_enough.
std::string what_is_enough();

// For those who do not know how it was recorded.
inline constexpr std::string_view ways_to_more =
    "a larger --slowdown, for longer (--for), or with --exact, which counts all of a run";
// The same, of a program that made such a share of the recording's branches.
std::string ways_to_more_of(std::string_view program, double share);

}  // namespace pgokit::cli
