#pragma once

// The functions that somebody means by a name, of those that a file has:
//
//   auto found = TRY(functions_meant("Parser::next", names));    // places in `names`
//
// First the linkage name, then without what compilers append, then demangled, in full, without
// parameters, or its last part, and last any part of these. All functions of the first way that
// finds one are meant. Fails where none is found, with the nearest ones, and where a mere part is
// of several, with those.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace pgokit {

struct FunctionNamed {
  std::string_view name;
  u64 guid = 0;  // of a name that is not known (`name`: its digits)
};

Result<std::vector<size_t>> functions_meant(std::string_view wanted,
                                            std::span<const FunctionNamed> names);

// "ns::Parser<int>::next" of "int ns::Parser<int>::next<char>(char*) const".
std::string_view without_parameters(std::string_view demangled);

}  // namespace pgokit
