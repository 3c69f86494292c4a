#include "base/command_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace pgokit {
namespace {

bool may_be_run(const std::string& path) {
  struct stat told{};
  return access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &told) == 0 && S_ISREG(told.st_mode);
}

}  // namespace

std::string path_of_command(std::string_view command) {
  if (command.empty() || command.contains('/')) return std::string(command);
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable ? variable : "/bin:/usr/bin";  // as exec() has it
  while (true) {
    auto end = rest.find(':');
    std::string path(rest.substr(0, end));
    if (path.empty()) path = ".";
    path += '/';
    path += command;
    if (may_be_run(path)) return path;
    if (end == rest.npos) return {};
    rest.remove_prefix(end + 1);
  }
}

std::string newest_command(std::string_view name) {
  constexpr int newest = 40, oldest = 13;
  for (int version = newest; version >= oldest; --version)
    if (auto versioned = fmt::format("{}-{}", name, version); !path_of_command(versioned).empty())
      return versioned;
  return std::string(name);
}

}  // namespace pgokit
