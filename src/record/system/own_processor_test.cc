#include "record/system/own_processor.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace pgokit::record {
namespace {

TEST(OwnProcessor, IsLeftWhereThereIsAnother) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(leave_processor(sched_getcpu()), CPU_COUNT(&before) > 1);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(OwnProcessor, IsKeptIfItIsNoneOfTheOthers) {
  EXPECT_TRUE(leave_processor(-1));
  EXPECT_TRUE(leave_processor(CPU_SETSIZE));
}

// Moving it would be no use.
TEST(OwnProcessor, IsKeptIfItIsTheOnlyOne) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int processor = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(processor), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_FALSE(leave_processor(sched_getcpu()));
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace pgokit::record
