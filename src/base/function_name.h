#pragma once

// What compilers and profiles do with the linkage names of functions.

#include <span>
#include <string_view>

#include "base/types.h"

namespace pgokit {

// The id of a function: the first eight bytes, little endian, of the MD5 of its linkage name.
u64 function_guid(std::string_view name);

// Without each of the suffixes that ends the name or is followed by its last component: with
// ".llvm.", "f.llvm.123" is "f", but "f.llvm.1.x" stays. Suffixes are tried in their order.
std::string_view strip_suffixes(std::string_view name, std::span<const std::string_view> suffixes);

// The name under which a sample profile knows the function: without ".llvm.N" (promoted by ThinLTO)
// and ".part.N" (partial inlining). ".__uniq.N" stays: it is what tells static functions apart.
std::string_view canonical_function_name(std::string_view name);

}  // namespace pgokit
