#pragma once

// The text form into columns, by all cores, where it is as the tools write it: flat, each function
// once, everything in the order of files.

#include <optional>

#include "profile/table/columns.h"

namespace pgokit::profile {

// nullopt: another shape, or an error; the general reader knows.
std::optional<Columns> read_text_columns(std::string_view text);

}  // namespace pgokit::profile
