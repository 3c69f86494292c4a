#include "base/command_path.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/support/shell.h"

namespace pgokit {
namespace {

namespace fs = std::filesystem;

class CommandPath : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* path = std::getenv("PATH")) before_ = path;
    fs::create_directories(folder_ + "/first/tool");  // a folder may be "run", and is no command
    fs::create_directories(folder_ + "/second");
    add("second/tool", true);
    add("second/data", false);
  }
  void TearDown() override { setenv("PATH", before_.c_str(), 1); }
  void add(const std::string& name, bool runs) const {
    auto path = folder_ + "/" + name;
    std::ofstream(path) << "x";
    fs::permissions(path, fs::perms::owner_exec,
                    runs ? fs::perm_options::add : fs::perm_options::remove);
  }
  std::string in(const std::string& path, std::string_view command) const {
    setenv("PATH", path.c_str(), 1);
    return path_of_command(command);
  }

  std::string newest_in(std::string_view name) const {
    setenv("PATH", (folder_ + "/second").c_str(), 1);
    return newest_command(name);
  }

  test::ScratchDir scratch_;
  std::string before_, folder_ = scratch_.path();
};

TEST_F(CommandPath, OnlyFilesThatMayBeRunAreFound) {
  auto path = folder_ + "/first:" + folder_ + "/second:/no/such/folder";
  EXPECT_EQ(in(path, "data"), "");
  EXPECT_EQ(in(path, "missing"), "");
  EXPECT_EQ(in(path, ""), "");
  EXPECT_EQ(in(path, "tool"), folder_ + "/second/tool");
}

TEST_F(CommandPath, APathStaysAsItIs) {
  EXPECT_EQ(in(folder_ + "/second", "./tool"), "./tool");
  EXPECT_EQ(in(folder_ + "/second", "/no/such/tool"), "/no/such/tool");
}

TEST_F(CommandPath, TheNewestOfAToolIsThatOfTheHighestNumber) {
  add("second/bolt-9", true);
  EXPECT_EQ(newest_in("bolt"), "bolt");
  add("second/bolt", true);
  EXPECT_EQ(newest_in("bolt"), "bolt");
  add("second/bolt-19", true);
  add("second/bolt-22", true);
  add("second/bolt-23", false);
  EXPECT_EQ(newest_in("bolt"), "bolt-22");
}

TEST_F(CommandPath, AnEmptyFolderIsTheWorkingDirectory) {
  auto here = fs::current_path();
  fs::current_path(folder_ + "/second");
  EXPECT_EQ(in("", "tool"), "./tool");
  EXPECT_EQ(in("/no/such/folder:", "tool"), "./tool");
  fs::current_path(here);
}

TEST_F(CommandPath, WithoutPathTheSystemsFoldersAreSearched) {
  unsetenv("PATH");
  EXPECT_EQ(path_of_command("sh"), "/bin/sh");
}

}  // namespace
}  // namespace pgokit
