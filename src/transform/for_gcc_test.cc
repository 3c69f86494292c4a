#include "transform/for_gcc.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "profile/format.h"

namespace pgokit::transform {
namespace {

TEST(GccNames, HaveNoSuffixes) {
  EXPECT_EQ(gcc_name("work"), "work");
  EXPECT_EQ(gcc_name("work.constprop.0"), "work");
  EXPECT_EQ(gcc_name("work.isra.0.cold"), "work");
  EXPECT_EQ(gcc_name("_ZL4workv.__uniq.123.llvm.4"), "_ZL4workv");
  EXPECT_EQ(gcc_name(".start"), ".start");
  EXPECT_EQ(gcc_name(""), "");
}

TEST(GccNames, OfConstructorsAreThoseOfACopy) {
  EXPECT_EQ(gcc_name("_ZN1SC4Ev"), "_ZN1SC2Ev");
  EXPECT_EQ(gcc_name("_ZN1SD4Ev"), "_ZN1SD2Ev");
  EXPECT_EQ(gcc_name("_ZNSt6vectorIiSaIiEEC4EmRKS0_"), "_ZNSt6vectorIiSaIiEEC2EmRKS0_");
  EXPECT_EQ(gcc_name("_ZN1SC1Ev"), "_ZN1SC1Ev");
}

TEST(GccNames, KeepIdentifiersThatLookLikeOnes) {
  for (const char* name : {"C4D4", "_ZN4C4EvC2Ev", "_Z4D4Evv", "_ZN3AD45C4Ev1EC1Ev"})
    EXPECT_EQ(gcc_name(name), name);
  EXPECT_EQ(gcc_name("_ZN4C4EvC4Ev"), "_ZN4C4EvC2Ev");
}

TEST(GccNames, OfStaticFunctionsInCAreNotMangled) {
  EXPECT_EQ(gcc_name_in_c("_ZL4pushP5stack.__uniq.12"), "push");
  EXPECT_EQ(gcc_name_in_c("_ZL4pushP5stack.__uniq.12.cold"), "push");
  EXPECT_EQ(gcc_name_in_c("main"), "main");
  EXPECT_EQ(gcc_name_in_c("_ZL4push"), "_ZL4push");
  EXPECT_EQ(gcc_name_in_c("_ZL99push.__uniq.12"), "_ZL99push");
  EXPECT_EQ(gcc_name_in_c("_ZL99999999999999999999push.__uniq.12"), "_ZL99999999999999999999push");
  EXPECT_EQ(gcc_name_in_c("_ZLpush.__uniq.12"), "_ZLpush");
}

TEST(GccNames, AddUpWhatBecomesOne) {
  auto read = profile::read_profile(
      as_bytes("work.part.0:30:3\n 1: 10\n 2: 20 help.isra.0:20\nwork:15:5\n 1: 5\n"
               " 3: help.1:10\n  1: 4\n 3: help.2:6\n  1: 6\n"));
  ASSERT_TRUE(read);
  name_as_gcc(read->profile);
  EXPECT_EQ(profile::write_text(read->profile),
            "work:45:8\n 1: 15\n 2: 20 help:20\n 3: help:16\n  1: 10\n");
}

TEST(GccNames, CallTargetsCanBeLeftOut) {
  auto read =
      profile::read_profile(as_bytes("work:30:3\n 1: 10 f:6 g:4\n 2: help:20\n  1: 20 f:20\n"));
  ASSERT_TRUE(read);
  drop_call_targets(read->profile);
  EXPECT_EQ(profile::write_text(read->profile), "work:30:3\n 1: 10\n 2: help:20\n  1: 20\n");
}

}  // namespace
}  // namespace pgokit::transform
