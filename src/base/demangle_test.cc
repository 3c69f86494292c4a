#include "base/demangle.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

TEST(Demangle, WritesNamesAsPeopleDo) {
  EXPECT_EQ(demangle("_Z3addii"), "add(int, int)");
  EXPECT_EQ(demangle("_ZL3addii.__uniq.17.cold"), "add(int, int).__uniq.17.cold");
}

TEST(Demangle, LeavesOtherNames) {
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("_Z"), "_Z");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangle(""), "");
}

}  // namespace
}  // namespace pgokit
