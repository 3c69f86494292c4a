#pragma once

// The compiler that a folder of CMake was configured with: neither PATH nor CC reaches it any more.
//
//   if (auto found = configured_compiler("cmake --build out")) use(found->compiler);

#include <optional>
#include <string>

namespace pgokit::optimize {

struct ConfiguredCompiler {
  std::string cache, compiler;  // "out/CMakeCache.txt", "/usr/bin/cc"
};

// Of the folders that the command names, or the current one; nullopt where none is configured.
std::optional<ConfiguredCompiler> configured_compiler(const std::string& build);

}  // namespace pgokit::optimize
