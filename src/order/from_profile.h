#pragma once

// Sample profiles → weights of functions, and calls between them.
//
//   order::add_profile(read.profile, weight, model);
//
// What was inlined is part of the function it was inlined into. Contexts are taken apart: a
// function's samples are its own, and its callers are those of its contexts.

#include "order/model.h"
#include "profile/model/profile.h"

namespace pgokit::order {

void add_profile(const profile::Profile& profile, u64 weight, Model& model);

}  // namespace pgokit::order
