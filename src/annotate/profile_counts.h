#pragma once

// The samples of a profile by place, asked for by the frames of code that was compiled with it.
//
//   ProfileCounts counts(profile);
//   auto found = counts.at(frames);             // outermost function first, the place itself last
//   if (found.samples) use(*found.samples);
//
// Samples are those of the copy of a function that the profile has as inlined by the same calls, or,
// of code that is not inlined, those of the function itself: what the compiler takes.

#include <tsl/robin_map.h>

#include <optional>
#include <span>

#include "base/hash.h"
#include "profile/model/profile.h"

namespace pgokit::annotate {

class ProfileCounts {
 public:
  struct Frame {
    u64 function = 0;          // function_guid() of its canonical name
    profile::LineLocation at;  // of the call of the next one; in the last the place
  };
  struct Found {
    u64 place = 0;               // equal for code that the profile does not tell apart
    std::optional<u64> samples;  // nullopt: the profile does not have the place
  };

  // The profile must outlive it.
  explicit ProfileCounts(const profile::Profile& profile);

  bool has(u64 function) const { return names_.contains(function); }
  Found at(std::span<const Frame> frames) const;

 private:
  const profile::FunctionSamples* copy_of(std::span<const Frame> frames) const;

  const profile::Profile* profile_;
  tsl::robin_map<u64, NameId, IntHash> names_;  // by guid
};

}  // namespace pgokit::annotate
