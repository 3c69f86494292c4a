#pragma once

// `pgokit show` for a program, shared object or object file.

#include <string>

#include "base/result.h"
#include "object/file.h"

namespace pgokit::cli {

Status show_program(const std::string& path, const object::File& file, bool json);

}  // namespace pgokit::cli
