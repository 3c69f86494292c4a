#include "record/software/patched_pages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace pgokit::record {
namespace {

TEST(PatchedPages, AreThoseThatWereWrittenTo) {
  constexpr size_t pages = 600, page = 4096;
  std::string path = ::testing::TempDir() + "pgokit-patched-XXXXXX";
  int fd = mkstemp(path.data());
  ASSERT_GE(fd, 0);
  unlink(path.c_str());
  ASSERT_EQ(ftruncate(fd, pages * page), 0);
  auto* at = static_cast<volatile u8*>(
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));
  ASSERT_NE(at, MAP_FAILED);
  auto address = [&](size_t n) { return reinterpret_cast<u64>(at) + n * page; };
  std::vector<u64> all;
  for (size_t n = 0; n < pages; ++n) all.push_back(address(n));

  auto own = PatchedPages::open(getpid());
  EXPECT_FALSE(own.any_patched({}));
  EXPECT_FALSE(own.any_patched(all)) << "not even read";
  u8 sum = 0;
  for (size_t n = 0; n < pages; ++n) sum = static_cast<u8>(sum + at[n * page]);
  EXPECT_EQ(sum, 0);
  EXPECT_FALSE(own.any_patched(all));
  for (size_t n : {599U, 300U, 0U}) {
    at[n * page] = 1;
    EXPECT_TRUE(own.patched(address(n)));
    EXPECT_TRUE(own.any_patched(all));
  }
  EXPECT_FALSE(own.patched(address(1)));
  EXPECT_FALSE(own.any_patched(std::span(all).subspan(1, 299)));
  munmap(const_cast<u8*>(at), pages * page);
  close(fd);
}

TEST(PatchedPages, NothingIsKnownWithoutAProcess) {
  auto nobody = PatchedPages::open(0x3ffffff);
  u64 address = 0x1000;
  EXPECT_FALSE(nobody.patched(address));
}

}  // namespace
}  // namespace pgokit::record
