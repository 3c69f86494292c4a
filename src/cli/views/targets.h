#pragma once

// `pgokit show --targets`.

#include <string>

#include "cli/views/instrumented.h"
#include "cli/views/instrumented_program.h"
#include "instrument/module.h"
#include "report/json.h"

namespace pgokit::cli {

// That of static functions, for which compilers tell it; empty for others.
std::string_view source_file(const instrument::Module& module,
                             const instrument::Function& function);

// The calls that were reached, the most frequent first, with the targets of each.
std::string targets_text(const instrument::Profile& profile, const ShowInstrumented& options,
                         MipPrograms& programs);
report::Json targets_json(const instrument::Profile& profile, MipPrograms& programs);

// What the branch stacks of a recording tell; the program is options.program.
Result<instrument::Profile> recorded_targets(const std::string& path, const std::string& program);

}  // namespace pgokit::cli
