#pragma once

// What was meant by a mistyped word.
//
//   if (auto meant = nearest(word, names); !meant.empty()) say("did you mean '{}'?", meant);

#include <span>
#include <string_view>

namespace pgokit::cli {

// The one of `words` that is fewest letters away; empty where none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> words);

}  // namespace pgokit::cli
