#pragma once

// All functions of a profile, on all threads.
//
//   for_each_function(profile, threads, [](Function& function) { function.samples.sort(); });

#include <algorithm>

#include "base/parallel.h"
#include "profile/profile.h"

namespace pgokit::profile {

template <class Each>
void for_each_function(Profile& profile, unsigned threads, const Each& each) {
  constexpr size_t at_once = 512;
  auto& functions = profile.functions();
  parallel_for((functions.size() + at_once - 1) / at_once, threads, [&](size_t part, unsigned) {
    size_t end = std::min(functions.size(), (part + 1) * at_once);
    for (size_t i = part * at_once; i < end; ++i) each(functions[i]);
  });
}

}  // namespace pgokit::profile
