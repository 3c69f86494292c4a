#include "base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/cursor.h"

namespace pgokit {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() { fs::create_directories(folder_); }
  ~FileTest() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::temp_directory_path() / fmt::format("pgokit-file-test-{}", getpid());
  std::string path_ = folder_ / "out";
};

TEST_F(FileTest, MissingFileAndFolderAreErrors) {
  EXPECT_EQ(MappedFile::open(path_).error().message,
            path_ + ": cannot open: No such file or directory");
  EXPECT_EQ(MappedFile::open(folder_).error().message,
            folder_.string() + ": is a folder, not a file");
  EXPECT_FALSE(OutputFile::create(folder_ / "no" / "where"));
  EXPECT_FALSE(OutputFile::create(folder_));
}

TEST_F(FileTest, EmptyFileIsEmptyBytes) {
  std::ofstream(path_).flush();
  EXPECT_TRUE(MappedFile::open(path_)->bytes().empty());
}

TEST_F(FileTest, ReleasedPartsAreReadAgain) {
  std::string text;
  while (text.size() < 100'000) text += fmt::format("{} ", text.size());
  std::ofstream(path_) << text;
  auto file = MappedFile::open(path_);
  auto other = MappedFile::open(path_);
  for (Bytes part : {file->bytes(), file->bytes().subspan(5000, 90'000), file->bytes().first(0)})
    release(part);
  EXPECT_EQ(as_text(file->bytes()), text);
  MappedFile moved = std::move(*file);
  release(moved.bytes());
  EXPECT_EQ(as_text(moved.bytes()), text);
  std::string ours = text;
  release(as_bytes(ours));  // no file: nothing happens
  EXPECT_EQ(ours, text);
}

TEST_F(FileTest, OutputAppearsOnlyWhenCommitted) {
  {
    auto out = OutputFile::create(path_);
    ASSERT_TRUE(out);
    out->write("lost");
  }
  EXPECT_TRUE(fs::is_empty(folder_));

  auto out = OutputFile::create(path_);
  out->write("hello");
  const u8 j[] = {'j'};
  out->write_at(0, j);
  out->write("!");
  EXPECT_EQ(out->size(), 6u);
  EXPECT_FALSE(fs::exists(path_));
  ASSERT_TRUE(out->commit());
  auto file = MappedFile::open(path_);
  EXPECT_EQ(std::string(file->bytes().begin(), file->bytes().end()), "jello!");
  MappedFile moved = std::move(*file);
  EXPECT_EQ(moved.bytes().size(), 6u);
}

TEST_F(FileTest, FullDiskIsAnError) {
  auto out = OutputFile::create("/dev/full");
  ASSERT_TRUE(out);
  out->write(std::string(100'000, 'x'));
  EXPECT_FALSE(out->commit());
}

}  // namespace
}  // namespace pgokit
