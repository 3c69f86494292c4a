#pragma once

// Context-sensitive profiles in tests, as text in and out.
//
//   auto profile = test::profile_of("[main:1 @ foo]:10:2\n 1: 10\n");
//   ... test::text_of(profile)

#include <cassert>
#include <string>
#include <string_view>

#include "profile/format.h"

namespace pgokit::test {

inline profile::Profile profile_of(std::string_view text) {
  if (text.empty()) return {};  // no file of any form
  auto read = profile::read_profile({reinterpret_cast<const u8*>(text.data()), text.size()});
  assert(read);
  return std::move(read->profile);
}

inline std::string text_of(profile::Profile& profile) {
  profile.sort();
  return profile::write_text(profile);
}

}  // namespace pgokit::test
