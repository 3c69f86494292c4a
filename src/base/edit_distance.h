#pragma once

#include <string_view>

namespace pgokit {

// How many characters are to be put in, left out or changed to make `b` of `a`. With
// `count_swaps`, two neighbours that change places are one such step, as for words people type.
size_t edit_distance(std::string_view a, std::string_view b, bool count_swaps = false);

}  // namespace pgokit
