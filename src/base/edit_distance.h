#pragma once

#include <string_view>

namespace pgokit {

// How many characters are to be put in, left out or changed to make `b` of `a`.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace pgokit
