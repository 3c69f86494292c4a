#pragma once

// The judges from outside: tools of the machine, run by tests.
//
//   if (!test::have_tool("llvm-profdata-22")) GTEST_SKIP() << "no llvm-profdata-22";
//   std::string text = test::run_tool("llvm-profdata-22 merge ... -o - " + path);

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace pgokit::test {

// Standard output of a command; a failure of the test if the command fails.
inline std::string run_tool(const std::string& command) {
  std::string output;
  std::FILE* pipe = ::popen(command.c_str(), "re");
  if (!pipe) return ADD_FAILURE() << "cannot run " << command, output;
  char buffer[1 << 14];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

inline bool have_tool(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null").c_str()) == 0;
}

// A folder of the test's own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pgokit-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace pgokit::test
