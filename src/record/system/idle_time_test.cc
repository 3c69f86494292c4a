#include "record/system/idle_time.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace pgokit::record {
namespace {

TEST(IdleTime, NeverGoesBack) {
  u64 before = idle_ns();
  usleep(50'000);
  EXPECT_GE(idle_ns(), before);
}

}  // namespace
}  // namespace pgokit::record
