#pragma once

// Where what other programs load lies: plugins of compilers, and the run time.
//
//   auto folder = TRY(library_folder("", "pgokit-rustc-plugin.so"));     // ".../lib/pgokit"

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace pgokit::cli {

// `given`; where that is empty, those beside this program, installed or as it was built.
std::vector<std::filesystem::path> library_places(const std::string& given);

// The first of them that has `file`.
Result<std::filesystem::path> library_folder(const std::string& given,
                                             const std::filesystem::path& file);

}  // namespace pgokit::cli
