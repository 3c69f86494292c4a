#include "base/leak_until_exit.h"

#include <gtest/gtest.h>

#include <memory>

namespace pgokit {
namespace {

TEST(LeakUntilExit, ObjectsStayAndCanBeChanged) {
  auto& one = leak_until_exit(std::make_unique<int>(1));
  auto& two = leak_until_exit(std::make_unique<int>(2));
  *one = 3;
  EXPECT_EQ(*one, 3);
  EXPECT_EQ(*two, 2);
}

}  // namespace
}  // namespace pgokit
