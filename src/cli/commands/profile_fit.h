#pragma once

// The program that a profile is shown with, and how far the profile fits it.
//
//   auto fitted = TRY(fit_with(sampled, "app", threads));
//   use(fitted.program, fitted.fit.stale_share());

#include <string>

#include "analysis/quality.h"
#include "profile/model/profile.h"
#include "program/program.h"

namespace pgokit::cli {

struct FittedProgram {
  static constexpr double noticeable = 0.05;  // of the samples are stale

  program::Program program;
  analysis::Fit fit;
};

Result<FittedProgram> fit_with(const profile::Profile& profile, const std::string& binary,
                               unsigned threads);

}  // namespace pgokit::cli
