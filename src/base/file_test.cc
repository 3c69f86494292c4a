#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

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

TEST_F(FileTest, DevicesWithoutEndAreErrors) {
  EXPECT_EQ(MappedFile::open("/dev/zero").error().message, "/dev/zero: is a device, not a file");
  EXPECT_TRUE(MappedFile::open("/dev/null")->bytes().empty());
}

TEST_F(FileTest, PipesCanBeOpenedAgain) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::string text(200'000, 'x');  // more than a pipe holds
  std::jthread writer([&] { std::ofstream(path_) << text; });
  for (int time = 0; time < 3; ++time) {
    auto file = MappedFile::open(path_);
    ASSERT_TRUE(file);
    EXPECT_EQ(as_text(file->bytes()), text);
    EXPECT_EQ(file->path(), path_);
  }
}

TEST_F(FileTest, AddressesOfInputsHaveTheirPath) {
  std::ofstream(path_) << "text";
  {
    auto file = MappedFile::open(path_);
    EXPECT_EQ(mapped_input_at(file->bytes().data() + 3), path_);
    EXPECT_EQ(mapped_input_at(this), std::nullopt);
  }
  EXPECT_EQ(mapped_input_at(nullptr), std::nullopt);
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

std::string contents(const std::string& path) {
  auto file = MappedFile::open(path);
  return file ? std::string(as_text(file->bytes())) : "none";
}

void write_to(const std::string& path, std::string_view text) {
  auto out = OutputFile::create(path);
  ASSERT_TRUE(out);
  out->write(text);
  ASSERT_TRUE(out->commit());
}

TEST_F(FileTest, AnOutputHasNoNameBeforeItIsWhole) {
  auto out = OutputFile::create(path_);
  out->write("half");
  EXPECT_TRUE(fs::is_empty(folder_)) << "what a killed program would leave";
  std::ofstream(path_) << "of somebody else";
  ASSERT_TRUE(out->commit());
  EXPECT_EQ(contents(path_), "half");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, AnOutputKeepsItsMode) {
  write_to(path_, "first");
  mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(fs::status(path_).permissions(), static_cast<fs::perms>(0666 & ~mask));
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write);
  write_to(path_, "second");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(contents(path_), "second");
}

TEST_F(FileTest, APlantedLinkIsNotFollowed) {
  auto other = folder_ / "other";
  std::ofstream(other) << "kept";
  fs::create_symlink(other, fmt::format("{}.{}.tmp", path_, getpid()));
  write_to(path_, "new");
  EXPECT_EQ(contents(other), "kept");
  EXPECT_EQ(contents(path_), "new");
}

TEST_F(FileTest, TheOutputItselfMayBeALink) {
  auto other = folder_ / "other";
  std::ofstream(other) << "old";
  fs::create_symlink("other", path_);
  write_to(path_, "new");
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(contents(other), "new");
}

TEST_F(FileTest, PipesAndDescriptorsAreWrittenAtOnce) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  auto name = fmt::format("/dev/fd/{}", ends[1]);
  EXPECT_FALSE(OutputFile::create(name)->can_seek());
  EXPECT_TRUE(OutputFile::create(path_)->can_seek());
  EXPECT_TRUE(OutputFile::create("/dev/null")->can_seek());
  write_to(name, "through");
  char text[8] = {};
  EXPECT_EQ(read(ends[0], text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  close(ends[0]), close(ends[1]);
  EXPECT_FALSE(OutputFile::create("/dev/fd/999"));
}

TEST_F(FileTest, OnlyRegularFiles) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open_regular(path_).error().message, path_ + ": is not a regular file");
  EXPECT_FALSE(MappedFile::open_regular("-"));
  write_to(folder_ / "plain", "text");
  EXPECT_TRUE(MappedFile::open_regular(folder_ / "plain"));
}

TEST_F(FileTest, AFileSizeLimitIsAnError) {
  pid_t child = fork();
  if (child == 0) {
    rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto out = OutputFile::create(path_);
    out->write(std::string(100'000, 'x'));
    _exit(out->commit() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FileTest, FullDiskIsAnError) {
  auto out = OutputFile::create("/dev/full");
  ASSERT_TRUE(out);
  out->write(std::string(100'000, 'x'));
  EXPECT_FALSE(out->commit());
}

}  // namespace
}  // namespace pgokit
