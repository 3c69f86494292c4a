#pragma once

// Programs of the system in tests: is it there, run it, in a folder that goes away.
//
//   if (!has_program("clang-22")) GTEST_SKIP() << "clang-22 is not installed";
//   ScratchDir dir;
//   auto [status, output] = run(fmt::format("cd {} && clang-22 -g a.c -o a", dir.path()));

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace pgokit::test {

struct RunResult {
  int status = -1;
  std::string output;  // standard output; put 2>&1 in the command for both
};

inline RunResult run(const std::string& command) {
  RunResult result;
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor)
  if (!pipe) return result;
  char buffer[1 << 16];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    result.output.append(buffer, n);
  int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

inline bool has_program(std::string_view name) {
  return run(fmt::format("command -v {} >/dev/null 2>&1", name)).status == 0;
}

class ScratchDir {
 public:
  ScratchDir() {
    std::string name = (std::filesystem::temp_directory_path() / "pgokit-test-XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  ~ScratchDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return fmt::format("{}/{}", path_, name); }

  void write(std::string_view name, std::string_view text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }

 private:
  std::string path_;
};

}  // namespace pgokit::test
