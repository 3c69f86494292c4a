#pragma once

// The id that compilers and profiles give a function: the first eight bytes, little endian, of the
// MD5 of its linkage name.

#include <string_view>

#include "base/types.h"

namespace pgokit {

u64 function_guid(std::string_view name);

}  // namespace pgokit
