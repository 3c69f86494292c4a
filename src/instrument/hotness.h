#pragma once

// Hot, warm and cold functions, from whatever was found out about a program.
//
//   for (const auto& each : instrument::hotness_of(profile, inlined, {}))   // counters
//     use(each.name, each.hotness);
//   for (const auto& each : instrument::hotness_of(samples, {}))            // a sample profile
//     use(each.name, each.hotness);
//
// Hot are the functions that do most of the work: the fewest that make up 99 % of it. The others
// that ran are warm. Cold are those that never ran, not even where they were inlined. What a
// profile does not tell of (functions without counters, or of a name that another function has and
// that is not known to have run) is not listed. Coverage tells warm and cold functions only.

#include <span>
#include <string>
#include <vector>

#include "instrument/inlined.h"
#include "instrument/module.h"
#include "profile/model/profile.h"

namespace pgokit::instrument {

enum class Hotness : u8 { cold, warm, hot };
std::string_view hotness_name(Hotness hotness);

struct FunctionHotness {
  std::string name;  // in the source: with its file, of a local function
  u64 checksum = 0;  // 0: not known
  Hotness hotness{};
  u64 work = 0;               // executions of blocks, calls, samples or dumps: what there is
  bool often_called = false;  // hot, and one of the fewest that make up as much of all calls
};

struct HotnessOptions {
  double hot_percent = 99;  // of all work
};

// By name, then checksum. `inlined`: of all modules.
std::vector<FunctionHotness> hotness_of(const Profile& profile, const InlinedRuns& inlined,
                                        const HotnessOptions& options);
// Functions of the profile's symbol list that have no samples are cold.
std::vector<FunctionHotness> hotness_of(const profile::Profile& samples,
                                        const HotnessOptions& options);

}  // namespace pgokit::instrument
