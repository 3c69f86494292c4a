#pragma once

// The table at the beginning of an extensible binary profile, and compressed sections.

#include "profile/format.h"

namespace pgokit::profile {

// Where the sections are is not looked at.
Result<std::vector<SectionInfo>> read_section_table(Bytes file);
// What a section with section_compressed holds.
Result<std::string> inflate_section(Bytes section);

}  // namespace pgokit::profile
