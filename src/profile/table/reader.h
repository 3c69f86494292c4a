#pragma once

// The quick way into Columns, for files as the tools write them.

#include <optional>

#include "profile/table/columns.h"

namespace pgokit::profile {

// nullopt: a form, a shape or an error that the general reader deals with.
std::optional<Columns> read_plain_columns(Bytes file);

// The summary that a binary file holds.
std::optional<Summary> stored_summary(Bytes file);

}  // namespace pgokit::profile
