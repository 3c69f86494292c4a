#pragma once

// Builds with a profile from which something is left out, and comparisons of two of them.
//
//   Trials trials(settings, profile, work, journal, toolchain, confidence);
//   auto whole = TRY(trials.build("whole", {}));
//   auto trial = TRY(trials.build("without-1", {.functions = {0}}));
//   if (trials.is_faster(TRY(trials.compare(whole, trial)))) ...
//
// The journal has every result: what was built and measured before is not done again.

#include <string>

#include "bisect/bisect.h"
#include "bisect/shortened_profile.h"
#include "measure/measurement.h"
#include "optimize/builder.h"
#include "optimize/journal.h"

namespace pgokit::bisect {

struct Trial {
  LeftOut left_out;
  optimize::Build build;
};

class Trials {
 public:
  // `sureness`: the confidence of each comparison. All that is referred to stays.
  Trials(const Settings& settings, const ShortenedProfile& profile,
         const optimize::WorkFolder& work, optimize::Journal& journal,
         const optimize::Toolchain& toolchain, double sureness);
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  // "whole" is the first.
  Result<Trial> build(const std::string& name, LeftOut left_out);
  // Of the time of a build to that of the base; builds that are the same file are not run.
  Result<measure::Ratio> compare(const Trial& base, const Trial& trial);
  // For certain, and by at least Settings::least_change.
  bool is_faster(const measure::Ratio& ratio) const;

 private:
  Result<measure::Ratio> measure(const Trial& base, const Trial& trial);

  const Settings& settings_;
  const ShortenedProfile& profile_;
  const optimize::WorkFolder& work_;
  optimize::Journal& journal_;
  const optimize::Toolchain& toolchain_;
  double confidence_;
  optimize::Settings commands_;  // for the builder
  optimize::Builder builder_;
};

// Whether the build names the profile that it uses.
bool names_profile(const std::string& build);

// What is left out together.
LeftOut joined(LeftOut a, const LeftOut& b);

}  // namespace pgokit::bisect
