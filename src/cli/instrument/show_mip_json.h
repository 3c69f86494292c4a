#pragma once

#include "cli/instrument/mip_program.h"
#include "cli/instrument/show_mip.h"
#include "mip/dump.h"
#include "report/json.h"

namespace pgokit::cli {

// All functions; with their blocks where one is asked for by name.
std::string profile_json(const mip::Profile& profile, const ShowInstrumented& options,
                         MipProgram* program);
report::Json dump_json(const mip::Dump& dump);

}  // namespace pgokit::cli
