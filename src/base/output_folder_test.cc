#include "base/output_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "test/support/shell.h"

namespace pgokit {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
 protected:
  const test::ScratchDir scratch_;
  const std::string root_ = scratch_.file("root");
};

TEST_F(OutputFolderTest, GoesAgainWhereNothingCameIntoIt) {
  {
    auto folder = OutputFolder::create(root_ + "/a/b/");
    ASSERT_TRUE(folder);
    EXPECT_TRUE(fs::is_directory(root_ + "/a/b"));
  }
  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(OutputFolderTest, StaysWithAFile) {
  {
    auto folder = OutputFolder::create(root_ + "/a/b");
    ASSERT_TRUE(folder);
    auto file = OutputFile::create(root_ + "/a/b/app.prof");
    ASSERT_TRUE(file);
    file->write("main\n");
    ASSERT_TRUE(file->commit());
  }
  EXPECT_TRUE(fs::exists(root_ + "/a/b/app.prof"));
}

TEST_F(OutputFolderTest, LeavesWhatWasThere) {
  fs::create_directories(root_ + "/a");
  {
    auto folder = OutputFolder::create(root_ + "/a/b/");
    ASSERT_TRUE(folder);
  }
  EXPECT_TRUE(fs::is_directory(root_ + "/a"));
  EXPECT_FALSE(fs::exists(root_ + "/a/b"));
}

TEST_F(OutputFolderTest, AFileOfThatNameIsAnError) {
  fs::create_directories(root_);
  auto file = OutputFile::create(root_ + "/a");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->commit());
  EXPECT_FALSE(OutputFolder::create(root_ + "/a/"));
  EXPECT_FALSE(OutputFolder::create(root_ + "/a/b/"));
}

}  // namespace
}  // namespace pgokit
