#pragma once

// Names of functions as people write them: C++ (Itanium) and Rust (both forms).
//
//   demangle("_Z3addii.cold")       // add(int, int).cold
//   core_size("_Z3addii.cold")      // 8: what follows was appended by compilers
//
// Names come from files, so time and memory are bounded: one that is longer than any compiler's, or
// would unfold to more than 64 kB, stays as it is. So does what is no mangled name. Nothing is
// escaped: printing does that (report/print.h).

#include <string>
#include <string_view>

namespace pgokit {

std::string demangle(std::string_view name);

size_t core_size(std::string_view name);

}  // namespace pgokit
