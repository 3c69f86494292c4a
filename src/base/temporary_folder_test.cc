#include "base/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/support/shell.h"

namespace pgokit {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, GoesWithWhatIsInIt) {
  std::string file;
  {
    auto made = TemporaryFolder::create();
    ASSERT_TRUE(made);
    TemporaryFolder moved = std::move(*made);
    file = moved.file("app.fdata");
    std::ofstream(file) << "x";
    EXPECT_TRUE(fs::exists(file));
    auto other = TemporaryFolder::create();
    ASSERT_TRUE(other);
    EXPECT_NE(other->file("app.fdata"), file);
  }
  EXPECT_FALSE(fs::exists(fs::path(file).parent_path()));
}

TEST(TemporaryFolder, IsWhereTmpdirSays) {
  test::ScratchDir scratch;
  setenv("TMPDIR", scratch.path().c_str(), 1);
  {
    auto folder = TemporaryFolder::create();
    EXPECT_TRUE(folder &&
                fs::path(folder->file("x")).parent_path().parent_path() == scratch.path());
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  setenv("TMPDIR", "/nowhere", 1);
  auto none = TemporaryFolder::create();
  unsetenv("TMPDIR");
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().message.contains("TMPDIR")) << none.error().message;
}

}  // namespace
}  // namespace pgokit
