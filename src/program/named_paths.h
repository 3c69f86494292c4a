#pragma once

#include <string>
#include <vector>

#include "program/program.h"

namespace pgokit::program {

// How -funique-internal-linkage-names named static functions: by the paths of their source files as
// the compiler was given them, or what -fmacro-prefix-map left of those.
struct NamedPaths {
  bool unique = false;  // it did
  // A whole absolute path; where there is one, a build elsewhere has other names.
  std::string absolute;
  std::vector<std::string> taken_off;  // "/home/me/app/", "../": the longest first
};

// By the names of the program's functions, and of its source files where it has debug information.
NamedPaths named_paths(const Program& program);

}  // namespace pgokit::program
