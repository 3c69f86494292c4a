#pragma once

// Where two outputs begin to differ, for people.
//
//   first_difference("a\nb\n", "a\nc\n");      // "line 2 is 'b', not 'c'"

#include <string>
#include <string_view>

namespace pgokit::measure {

// Of what is kept of each; empty: that is equal. Long lines are cut down to where they differ.
std::string first_difference(std::string_view is, std::string_view other);

}  // namespace pgokit::measure
