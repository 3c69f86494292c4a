#pragma once

// The order in which LLVM's tools go through the functions of a profile: that of their hash table,
// which shows where equal ones are listed.

#include "profile/table/columns.h"

namespace pgokit::analysis {

// Places of Columns::functions.
std::vector<u32> llvm_order(const profile::Columns& columns);

}  // namespace pgokit::analysis
