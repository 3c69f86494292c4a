#include "record/system/file_version.h"

#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace pgokit::record {
namespace {

// Of a file that was there before the test was built.
Mapping old_mapping() {
  auto map = MemoryMap::read(getpid());
  const auto* of_libc = map ? map->find(reinterpret_cast<u64>(&::puts)) : nullptr;
  return of_libc ? *of_libc : Mapping{};
}

TEST(FileVersion, IsTheSameWhileNothingChanges) {
  auto mapping = old_mapping();
  auto version = FileVersion::of(getpid(), mapping);
  if (!version) GTEST_SKIP() << "this file system has other numbers for " << mapping.path;
  EXPECT_EQ(version->inode, mapping.inode);
  EXPECT_GT(version->size, 0U);
  EXPECT_EQ(FileVersion::of(getpid(), mapping), version);
}

TEST(FileVersion, IsNotKnownOfWhatIsNotTheFileOfThatName) {
  auto mapping = old_mapping();
  ++mapping.inode;
  EXPECT_FALSE(FileVersion::of(getpid(), mapping));
  mapping = old_mapping(), mapping.path += " (deleted)";
  EXPECT_FALSE(FileVersion::of(getpid(), mapping));
  mapping = old_mapping(), mapping.inode = 0, mapping.path = "[vdso]";
  EXPECT_FALSE(FileVersion::of(getpid(), mapping));
}

TEST(FileVersion, IsNotKnownRightAfterAChange) {
  std::string path = ::testing::TempDir() + "pgokit-version-XXXXXX";
  int fd = mkstemp(path.data());
  ASSERT_GE(fd, 0);
  struct stat facts;
  ASSERT_EQ(fstat(fd, &facts), 0);
  Mapping mapping;
  mapping.path = path, mapping.inode = facts.st_ino;
  EXPECT_FALSE(FileVersion::of(getpid(), mapping));
  close(fd);
  unlink(path.c_str());
}

}  // namespace
}  // namespace pgokit::record
