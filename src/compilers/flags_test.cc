#include "compilers/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pgokit::compilers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Flags, AddsEachWordOnce) {
  Flags flags{.compile = {"-g"}, .link = {"-fuse-ld=lld"}};
  flags.add({.compile = {"-O2", "-g"}, .link = {"-fuse-ld=lld", "-Wl,-q"}});
  EXPECT_THAT(flags.compile, ElementsAre("-g", "-O2"));
  EXPECT_THAT(flags.link, ElementsAre("-fuse-ld=lld", "-Wl,-q"));
}

TEST(Flags, NamesOfStaticFunctionsAreTheSameInEachCheckout) {
  EXPECT_THAT(profiling_flags({}, {.unique_names = true}, "/src").compile,
              ElementsAre("-g", "-fdebug-info-for-profiling", "-funique-internal-linkage-names",
                          "-fmacro-prefix-map=/src/="));
  const std::string ways[] = {"../", "../../"};
  EXPECT_THAT(profiling_flags({}, {.unique_names = true}, "/src", ways).compile,
              ElementsAre("-g", "-fdebug-info-for-profiling", "-funique-internal-linkage-names",
                          "-fmacro-prefix-map=/src/=", "-fmacro-prefix-map=../=",
                          "-fmacro-prefix-map=../../="));
  for (auto [kind, root] :
       {std::pair(ProfileKind{.unique_names = true, .absolute_paths = true}, "/src"),
        {ProfileKind{.unique_names = true}, ""}})
    EXPECT_EQ(profiling_flags({}, kind, root).compile.back(), "-funique-internal-linkage-names");
}

TEST(Flags, TheLinkGetsTheProfileToo) {
  auto flags = sample_profile_flags({}, {.probes = true}, "a.prof");
  EXPECT_THAT(flags.compile, ElementsAre("-fprofile-sample-use=a.prof"));
  EXPECT_THAT(flags.link, ElementsAre("-fprofile-sample-use=a.prof"));
  auto gcc = sample_profile_flags({.family = CompilerFamily::gcc}, {}, "a.afdo");
  EXPECT_THAT(gcc.compile, ElementsAre("-fauto-profile=a.afdo"));
  EXPECT_THAT(gcc.link, IsEmpty());
}

TEST(Flags, EachLinkerTakesOrdersInItsWay) {
  using order::OrderFormat;
  EXPECT_THAT(
      order_flags(OrderFormat::lld, "a").link,
      ElementsAre("-fuse-ld=lld", "-Wl,--symbol-ordering-file=a", "-Wl,--no-warn-symbol-ordering"));
  EXPECT_THAT(order_flags(OrderFormat::lld, "a", true).link,
              ElementsAre("-fuse-ld=lld", "-Wl,/order:@a"));
  EXPECT_THAT(order_flags(OrderFormat::ld, "a").link, ElementsAre("-fuse-ld=bfd", "-Wl,-T,a"));
  EXPECT_THAT(order_flags(OrderFormat::ld64, "a").link, ElementsAre("-Wl,-order_file,a"));
}

TEST(Flags, OnlyALinkThatGeneratesCodeSaysMore) {
  auto flags = remark_flags(false);
  flags.add(belief_flags(false));
  EXPECT_THAT(flags.compile, ElementsAre("-fsave-optimization-record", "-fbasic-block-address-map",
                                         "-mllvm=-pgo-analysis-map=all"));
  EXPECT_THAT(flags.link, IsEmpty());
  flags = remark_flags(true);
  flags.add(belief_flags(true));
  EXPECT_THAT(flags.link,
              ElementsAre("-fsave-optimization-record", "-Wl,--lto-basic-block-address-map",
                          "-Wl,-mllvm,-pgo-analysis-map=all"));
}

TEST(Flags, ALayoutHasOneOrTwoFiles) {
  auto flags = layout_flags("a.clusters", "a.symorder");
  EXPECT_THAT(flags.compile,
              ElementsAre("-ffunction-sections", "-fbasic-block-sections=list=a.clusters"));
  EXPECT_EQ(flags.link[1], "-Wl,--symbol-ordering-file=a.symorder");
  EXPECT_THAT(layout_flags("a.clusters", "").link, IsEmpty());
}

}  // namespace
}  // namespace pgokit::compilers
