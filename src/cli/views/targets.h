#pragma once

// `pgokit show --targets`.

#include <string>

#include "cli/views/instrumented.h"
#include "cli/views/instrumented_program.h"
#include "instrument/module.h"
#include "report/json.h"

namespace pgokit::cli {

// The calls that were reached, the most frequent first, with the targets of each.
std::string targets_text(const instrument::Profile& profile, const ShowInstrumented& options,
                         MipProgram* program);
report::Json targets_json(const instrument::Profile& profile, const ShowInstrumented& options,
                          MipProgram* program);

// What the branch stacks of a recording tell; the program is options.program.
Result<instrument::Profile> recorded_targets(const std::string& path, const std::string& program);

}  // namespace pgokit::cli
