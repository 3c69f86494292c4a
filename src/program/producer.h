#pragma once

// What a program says about the compiler that built it.
//
//   std::string producer = producer_of(file, debug);   // "Debian clang version 22.1.8 (...)"

#include <optional>
#include <string>
#include <string_view>

#include "dwarf/debug_info.h"
#include "object/file.h"

namespace pgokit::program {

// From the debug information, or from .comment without it (`debug` may be null); empty where
// neither tells. It may be long: GCC adds its options.
std::string producer_of(const object::File& file, const dwarf::DebugInfo* debug);
// As it says in .comment.
bool is_linked_by_lld(const object::File& file);

// The first number of GCC's version in such a text ("GNU C++17 12.2.0 -g": 12), 0 where it is not
// told; nullopt: another compiler.
std::optional<unsigned> gcc_version(std::string_view producer);

// Whether code of it was written in C++: by the debug information, or by mangled names of functions
// where that does not tell.
bool has_cplusplus(const object::File& file, const dwarf::DebugInfo* debug);

}  // namespace pgokit::program
