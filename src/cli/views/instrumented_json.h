#pragma once

#include "cli/views/instrumented.h"
#include "cli/views/instrumented_program.h"
#include "instrument/dump.h"
#include "report/json.h"

namespace pgokit::cli {

// All functions; with their blocks where one is asked for by name.
std::string profile_json(const instrument::Profile& profile, const ShowInstrumented& options,
                         MipPrograms& programs);
report::Json dump_json(const instrument::Dump& dump);

}  // namespace pgokit::cli
