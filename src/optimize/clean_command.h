#pragma once

// How what a build has made is removed again, so that a build with other options makes it anew.
//
//   clean_command_of("cd src && make -j4 all")       // "cd src && make clean"

#include <string>

namespace pgokit::optimize {

// Of commands whose last build tool is make, ninja, `cmake --build` or `meson compile`; empty: it is
// none of them, or its words cannot be told without a shell.
std::string clean_command_of(const std::string& build);

}  // namespace pgokit::optimize
