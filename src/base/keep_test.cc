#include "base/keep.h"

#include <gtest/gtest.h>

#include <memory>

namespace pgokit {
namespace {

TEST(Keep, ObjectsStayAndCanBeChanged) {
  auto& one = keep(std::make_unique<int>(1));
  auto& two = keep(std::make_unique<int>(2));
  *one = 3;
  EXPECT_EQ(*one, 3);
  EXPECT_EQ(*two, 2);
}

}  // namespace
}  // namespace pgokit
