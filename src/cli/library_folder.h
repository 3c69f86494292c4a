#pragma once

// Where what other programs load lies: plugins of compilers, and the run time.
//
//   auto folder = TRY(library_folder("", "pgokit-rustc-plugin.so"));     // ".../lib/pgokit"

#include <filesystem>
#include <string>

#include "base/result.h"

namespace pgokit::cli {

// The folder that has `file`: `given`, or, where that is empty, one beside this program, installed or
// as it was built.
Result<std::filesystem::path> library_folder(const std::string& given,
                                             const std::filesystem::path& file);

}  // namespace pgokit::cli
