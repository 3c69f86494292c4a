#pragma once

// The sites of a function's profile: what it says of one place, and what can be left out alone.
//
//   auto sites = sites_of(profile, "main");                 // in all of its contexts
//   remove_sites(profile, "main", sites, {0, 7});           // by number
//
// A place that is left out has no count any more, nor targets of calls: the compiler infers it from
// its neighbours. Callees that were inlined in the function are a site each, with all that is in
// them. Totals lose what is left out.

#include <string>
#include <vector>

#include "bisect/search.h"
#include "profile/model/profile.h"

namespace pgokit::bisect {

struct Site {
  enum class Kind : u8 { target, inlinee, place };
  Kind kind = Kind::place;
  profile::LineLocation at;  // a line after the function's first one, or a probe
  std::string callee = {};   // that is called or inlined there
  u64 samples = 0;
  bool operator==(const Site&) const = default;
};

// Targets come first, because a place takes its targets along; of each kind the hottest first.
std::vector<Site> sites_of(const profile::Profile& profile, std::string_view function);

// How many there are at most in one function.
size_t most_sites(const profile::Profile& profile);

// False where nothing of the function is left.
bool remove_sites(profile::Profile& profile, std::string_view function,
                  const std::vector<Site>& sites, const Numbers& numbers);

}  // namespace pgokit::bisect
