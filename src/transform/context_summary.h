#pragma once

#include "generate/context/context_samples.h"
#include "profile/model/summary.h"

namespace pgokit::transform {

// As profile::summarize() of generate::to_profile(samples).
profile::Summary summarize(const generate::ContextSamples& samples, unsigned threads);

}  // namespace pgokit::transform
