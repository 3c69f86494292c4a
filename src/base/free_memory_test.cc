#include "base/free_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace pgokit {
namespace {

TEST(FreeMemoryOf, KeepsNothing) {
  std::vector<int> numbers(100);
  free_memory_of(numbers);
  EXPECT_TRUE(numbers.empty());
  EXPECT_EQ(numbers.capacity(), 0u);
}

}  // namespace
}  // namespace pgokit
