#pragma once

// The table at the beginning of an extensible binary profile, without what it points to.

#include "profile/format.h"

namespace pgokit::profile {

Result<std::vector<SectionInfo>> read_section_table(Bytes file);

}  // namespace pgokit::profile
