#pragma once

// All functions of a profile, on all threads.
//
//   for_each_function(profile, threads, [](Function& function) { function.samples.sort(); });
//   for_each_function(profile, threads, [&](const Function& function, unsigned worker) { ... });

#include <algorithm>
#include <type_traits>

#include "base/parallel.h"
#include "profile/model/profile.h"

namespace pgokit::profile {

template <class SomeProfile, class Each>
void for_each_function(SomeProfile& profile, unsigned threads, const Each& each) {
  constexpr size_t at_once = 512;
  auto& functions = profile.functions();
  parallel_each(functions.size(), at_once, threads, [&](size_t i, unsigned worker) {
    if constexpr (std::is_invocable_v<Each, decltype(functions[i]), unsigned>)
      each(functions[i], worker);
    else
      each(functions[i]);
  });
}

}  // namespace pgokit::profile
