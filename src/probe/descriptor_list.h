#pragma once

// Descriptors as a text tells them, such as the list that `pgokit probes dump --mangled` begins
// with: a line for each, `GUID HASH NAME`, up to the next line that is empty.
//
//   auto known = TRY(probe::parse_descriptors(text, "list.txt"));      // names are in `text`
//
// Lines that do not begin with a number are headings. The result is sorted by GUID.

#include <string_view>
#include <vector>

#include "base/result.h"
#include "probe/descriptors.h"

namespace pgokit::probe {

// Fails where a GUID is not that of the name, and where there is no descriptor: "NAME:LINE: ...".
Result<std::vector<Descriptor>> parse_descriptors(std::string_view text, std::string_view name);

}  // namespace pgokit::probe
