#pragma once

// Two profiles at once, one per core.

#include "base/file.h"
#include "profile/table/columns.h"

namespace pgokit::cli {

struct BothProfiles {
  profile::Columns base, test;
};

Result<BothProfiles> read_both(const MappedFile& base, const MappedFile& test,
                               const profile::ReadOptions& options = {});

}  // namespace pgokit::cli
