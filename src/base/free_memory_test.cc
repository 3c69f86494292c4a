#include "base/free_memory.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

namespace pgokit {
namespace {

TEST(FreeMemoryOf, KeepsNothing) {
  std::vector<int> numbers(100);
  free_memory_of(numbers);
  EXPECT_TRUE(numbers.empty());
  EXPECT_EQ(numbers.capacity(), 0u);
}

TEST(ReturnPagesOf, TakesWholePagesAndNothingAround) {
  std::vector<u32> numbers(1 << 16, 1);
  auto done = std::span(numbers).subspan(100, 60000);
  return_pages_of(done);
  EXPECT_EQ(numbers[30000], 0u);
  EXPECT_EQ(numbers[99], 1u);
  EXPECT_EQ(numbers[60100], 1u);
  return_pages_of(done.first(1));
  return_pages_of(done.first(0));
}

}  // namespace
}  // namespace pgokit
