#pragma once

// A profile with names beside one with hashes of names.

#include "profile/table/columns.h"

namespace pgokit::analysis {

// The same profile with the id of each name in place of the name, as compilers hash them.
profile::Columns with_hashed_names(const profile::Columns& columns);

// Names for the ids of `hashed`, where `named` has them: it reads as if it had been written with
// those names, but its order stays that of the ids.
void show_names_of(profile::Columns& hashed, const profile::Columns& named);

}  // namespace pgokit::analysis
