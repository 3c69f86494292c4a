#include "cli/suggest.h"

#include <gtest/gtest.h>

namespace pgokit::cli {
namespace {

std::string_view meant(std::string_view word) {
  constexpr std::string_view words[] = {"record", "generate", "merge", "show", "doctor", "map"};
  return nearest(word, words);
}

TEST(Suggest, WhatWasMeant) {
  EXPECT_EQ(meant("recrod"), "record");
  EXPECT_EQ(meant("genrate"), "generate");
  EXPECT_EQ(meant("gen"), "generate");
  EXPECT_EQ(meant("docter"), "doctor");
  EXPECT_EQ(meant("shwo"), "show");
  EXPECT_EQ(meant("merges"), "merge");
}

TEST(Suggest, NothingWhereNothingIsNear) {
  EXPECT_EQ(meant("compile"), "");
  EXPECT_EQ(meant("x"), "");
  EXPECT_EQ(meant(""), "");
  EXPECT_EQ(meant(std::string(10'000, 'm')), "");
}

}  // namespace
}  // namespace pgokit::cli
