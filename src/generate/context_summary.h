#pragma once

#include "generate/context_samples.h"
#include "profile/summary.h"

namespace pgokit::generate {

// As profile::summarize() of to_profile(samples).
profile::Summary summarize(const ContextSamples& samples, unsigned threads);

}  // namespace pgokit::generate
