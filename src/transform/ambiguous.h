#pragma once

#include "profile/model/profile.h"

namespace pgokit::transform {

// Takes out functions whose names do not tell them apart: every file has a __cxx_global_var_init
// and a __tls_init of its own. As inlinees too; totals stay.
void drop_ambiguous_functions(profile::Profile& profile, unsigned threads = 1);

}  // namespace pgokit::transform
