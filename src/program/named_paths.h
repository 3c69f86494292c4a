#pragma once

#include <string>

#include "program/program.h"

namespace pgokit::program {

// An absolute path by which -funique-internal-linkage-names named static functions of the program;
// empty: none was found. Where there is one a build in another folder has other names. Asks the
// debug information about some functions.
std::string absolute_named_path(const Program& program);

}  // namespace pgokit::program
