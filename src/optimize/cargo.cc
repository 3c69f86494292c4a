#include "optimize/cargo.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/command_output.h"
#include "base/command_path.h"
#include "base/shell_word.h"
#include "optimize/toolchain.h"

namespace pgokit::optimize {
namespace {

namespace fs = std::filesystem;

// The folder that cargo names after its profile.
std::string folder_of(const std::string& profile) {
  if (profile == "dev" || profile == "test") return "debug";
  return profile == "bench" ? "release" : profile;
}

std::vector<std::string> programs_in(const fs::path& folder, const std::string& name) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    auto file = entry.path().filename().string();
    // Libraries and lists of dependencies have endings.
    bool wanted = name.empty() ? !file.contains('.') : file == name;
    if (wanted && entry.is_regular_file(error) && access(entry.path().c_str(), X_OK) == 0)
      found.push_back(entry.path().string());
  }
  return found;
}

}  // namespace

std::string Cargo::build_command() const {
  std::vector<std::string> words{command, "build"};
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (profile == "release")
    words.push_back("--release");
  else
    add("--profile", profile);
  add("--bin", bin);
  add("--example", example);
  add("--target", target);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return shell_line(words);
}

Result<std::string> Cargo::workspace(const std::string& manifest) const {
  std::vector<std::string> words{command, "locate-project", "--workspace", "--message-format",
                                 "plain"};
  if (!manifest.empty()) words.insert(words.end(), {"--manifest-path", manifest});
  auto text = output_of_command(words);
  if (!text)
    return fail("{}: go to the folder of a package, or give --manifest-path FILE",
                std::move(text).error().message);
  // A line of a warning may be in front.
  while (text->ends_with('\n')) text->pop_back();
  return fs::path(text->substr(text->rfind('\n') + 1)).parent_path().string();
}

Result<std::string> Cargo::built(const std::string& folder) const {
  const auto& name = example.empty() ? bin : example;
  auto place = fs::path(folder_of(profile)) / (example.empty() ? "" : "examples");
  // A target may be named by a file.
  auto triple = fs::path(target).filename();
  auto found = programs_in(
      fs::path(folder) / (triple.extension() == ".json" ? triple.stem() : triple) / place, name);
  std::error_code error;
  // Cargo's own settings may name a target.
  if (found.empty() && target.empty())
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      auto more = programs_in(entry.path() / place, name);
      found.insert(found.end(), more.begin(), more.end());
    }
  if (found.size() == 1) return found[0];
  if (found.empty())
    return fail("{} made no program{}: --bin NAME or --example NAME is one of the workspace's",
                build_command(), name.empty() ? "" : fmt::format(" {}", name));
  std::ranges::sort(found);
  std::string names;
  for (const auto& file : found)
    names += (names.empty() ? "" : ", ") + fs::path(file).filename().string();
  return fail("there are several programs ({}): --bin NAME says which", names);
}

Result<std::string> find_cargo() {
  const char* variable = std::getenv("CARGO");
  std::string command = variable && *variable ? variable : "cargo";
  if (path_of_command(command).empty())
    return fail("{} is not installed: Debian's packages cargo and rustc have it, or rustup",
                command);
  return command;
}

}  // namespace pgokit::optimize
