#pragma once

// `pgokit report app.prof --annotate FUNCTION --source DIR`: the source of a profile's function with
// its counts.

#include <string>

#include "annotate/profile_source.h"
#include "report/json.h"

namespace pgokit::cli {

std::string profile_source_text(const annotate::ProfiledSource& source, bool mangled);
report::Json profile_source_json(const annotate::ProfiledSource& source);

}  // namespace pgokit::cli
