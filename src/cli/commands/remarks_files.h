#pragma once

// Where the optimization remarks of a build are.
//
//   for (const auto& path : TRY(remarks_files("build"))) use(path);

#include <string>
#include <vector>

#include "annotate/function_remarks.h"
#include "base/result.h"

namespace pgokit::cli {

// A file, or all files of remarks in a folder and those below it; an error where there is none.
Result<std::vector<std::string>> remarks_files(const std::string& path);

// Of some functions, from there. An empty path: there are none.
Status read_remarks(const std::string& path, annotate::FunctionRemarks& remarks);

// Those that clang and lld put beside a program; there may be none.
std::vector<std::string> remarks_beside(const std::string& program);

}  // namespace pgokit::cli
