#pragma once

// The tools that judge pgokit, run by tests.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace pgokit::perf::test {

// What a command prints on both of its outputs.
inline std::string output_of(const std::string& command) {
  std::string text;
  // NOLINTNEXTLINE(bugprone-command-processor): commands of the tests only
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return text;
  char buffer[4096];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  pclose(pipe);
  return text;
}

inline bool have(const char* program) {
  return !output_of(fmt::format("command -v {}", program)).empty();
}

}  // namespace pgokit::perf::test
