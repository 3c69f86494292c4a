#pragma once

// What the drop-ins for AutoFDO's create_llvm_prof, create_gcov and profile_merger and for
// Propeller's generate_propeller_profiles have in common.
//
//   Conversion conversion;
//   conversion.road.read.inputs = TRY(recordings_of("@list"));
//   return convert(std::move(conversion));

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/road.h"

namespace pgokit::cli {

// A file, or of "@FILE" those that are named in it, one per line.
Result<std::vector<std::string>> recordings_of(const std::string& profile);

// The kernel is told by its name, as these tools have no option for it.
bool is_kernel(std::string_view binary);

// --profiled_binary_name: what the recording calls the program. The kernel's name makes it that;
// another name than the file's wants a build id to find it by.
Status use_recorded_name(const std::string& name, pipeline::RoadOptions& road);

// Propeller's parameters as it has them, text of a protocol buffer. Known is
// code_layout_params { inter_function_reordering: BOOL }; others are refused by their names.
Status use_propeller_options(const std::string& text, pipeline::RoadOptions& road);

// Of the value of --gcov_version, if it was given.
Status check_gcov_version(std::optional<u32> version);

struct Conversion {
  pipeline::RoadOptions road;
  bool lists_symbols = false;            // all functions of the program, beside the profile
  std::optional<u32> gcov_version = {};  // in place of that of the target
};

// From recordings to files, with the summary of `pgokit generate`.
Status convert(Conversion&& conversion);

}  // namespace pgokit::cli
