#pragma once

// Names of functions as people write them: C++ (Itanium), Rust (both forms) and D.
//
//   demangle("_Z3addii.cold")       // add(int, int).cold
//   core_size("_Z3addii.cold")      // 8: what follows was appended by compilers
//   plain_name("_ZL3addii.__uniq.17.cold")  // add(int, int).cold
//
// Names come from files, so time and memory are bounded: one that is longer than any compiler's, or
// would unfold to more than 64 kB, stays as it is. So does what is no mangled name. Nothing is
// escaped: printing does that (report/print.h).

#include <string>
#include <string_view>

namespace pgokit {

std::string demangle(std::string_view name);

size_t core_size(std::string_view name);

// Without what only keeps functions apart: .__uniq.N and .llvm.N of LLVM, the hash of older Rust.
// Names for people are made of it by report/function_names.h.
std::string plain_name(std::string_view name);
std::string dropped_suffixes(std::string_view name);  // ".__uniq.17"; of Rust "::h..."

}  // namespace pgokit
