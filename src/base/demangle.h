#pragma once

// Names of functions as people write them: C++ (Itanium), Rust (both forms) and D.
//
//   demangle("_Z3addii.cold")       // add(int, int).cold
//   core_size("_Z3addii.cold")      // 8: what follows was appended by compilers
//   plain_name("_ZL3addii.__uniq.17.cold")  // add(int, int).cold
//   demangle("_Z3minIiET_S0_S0_", ReturnType::left_out)  // min<int>(int, int)
//
// Names come from files, so time and memory are bounded: one that is longer than any compiler's, or
// would unfold to more than 64 kB, stays as it is. So does what is no mangled name. Nothing is
// escaped: printing does that (report/print.h).

#include <string>
#include <string_view>

#include "base/types.h"

namespace pgokit {

// Itanium's names of templates begin with what they return. In a table, where names are cut off, that
// would be all that is seen of some.
enum class ReturnType : u8 { shown, left_out };

std::string demangle(std::string_view name, ReturnType how = ReturnType::shown);

size_t core_size(std::string_view name);

// Without what only keeps functions apart: .__uniq.N and .llvm.N of LLVM, the hash of older Rust.
// Names for people are made of it by report/function_names.h.
std::string plain_name(std::string_view name, ReturnType how = ReturnType::shown);
std::string dropped_suffixes(std::string_view name);  // ".__uniq.17"; of Rust "::h..."

}  // namespace pgokit
