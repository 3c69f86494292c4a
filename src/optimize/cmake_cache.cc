#include "optimize/cmake_cache.h"

#include <string_view>

#include "base/cursor.h"
#include "base/file.h"
#include "base/shell_word.h"

namespace pgokit::optimize {
namespace {

// NAME:TYPE=VALUE
std::string value_of(std::string_view cache, std::string_view name) {
  for (size_t at = 0; at < cache.size();) {
    auto line = cache.substr(at, cache.find('\n', at) - at);
    at += line.size() + 1;
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':') && line.contains('='))
      return std::string(line.substr(line.find('=') + 1));
  }
  return "";
}

}  // namespace

std::optional<ConfiguredCompiler> configured_compiler(const std::string& build) {
  auto words = shell_words(build);
  if (!words) return std::nullopt;
  words->emplace_back(".");
  for (auto& word : *words) {
    if (word.starts_with("-B")) word.erase(0, 2);
    if (word.empty()) continue;
    auto path = word == "." ? "CMakeCache.txt" : word + "/CMakeCache.txt";
    auto file = MappedFile::open_regular(path);
    if (!file) continue;
    for (std::string_view name : {"CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER"})
      if (auto compiler = value_of(as_text(file->bytes()), name); !compiler.empty())
        return ConfiguredCompiler{path, compiler};
  }
  return std::nullopt;
}

}  // namespace pgokit::optimize
