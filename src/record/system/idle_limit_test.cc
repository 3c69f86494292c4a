#include "record/system/idle_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace pgokit::record {
namespace {

// Of this process.
size_t limits() {
  namespace fs = std::filesystem;
  size_t found = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    found += fs::read_symlink(entry, gone) == "/dev/cpu_dma_latency";
  }
  return found;
}

TEST(IdleLimit, IsKeptAsLongAsItIsWanted) {
  {
    IdleLimit limit;
    EXPECT_FALSE(limit.is_kept());
    limit.set(true);
    EXPECT_EQ(limits(), limit.is_kept());
    limit.set(true);
    EXPECT_EQ(limits(), limit.is_kept());
    limit.set(false);
    EXPECT_FALSE(limit.is_kept());
    EXPECT_EQ(limits(), 0U);
    limit.set(true);
  }
  EXPECT_EQ(limits(), 0U);
}

}  // namespace
}  // namespace pgokit::record
