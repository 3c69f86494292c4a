#include "optimize/rustc.h"

#include <gmock/gmock.h>

namespace pgokit::optimize {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char versions[] =
    "rustc 1.96.0 (ac68faa20 2026-05-25)\nbinary: rustc\ncommit-hash: ac68faa20\n"
    "host: x86_64-unknown-linux-gnu\nrelease: 1.96.0\nLLVM version: 22.1.8\n";
constexpr char stable[] = "    -C  profile-use=val -- a\n    -C  profile-sample-use=val -- b\n";
constexpr char unstable[] = "    -Z  profile-sample-use=val -- use the given `.prof` file\n";
constexpr char neither[] = "    -C  profile-use=val -- use the given file\n";

TEST(Rustc, WhatTakesNoProfileIsRefused) {
  auto cranelift = rustc_of("rustc 1.96.0\nrelease: 1.96.0\n", stable, "");
  ASSERT_FALSE(cranelift);
  EXPECT_THAT(cranelift.error().message, HasSubstr("no version of LLVM"));
  EXPECT_FALSE(rustc_of("", "", ""));
  auto old = rustc_of(versions, neither, neither);
  ASSERT_FALSE(old);
  EXPECT_THAT(old.error().message, HasSubstr("rustc 1.96.0 takes no profile of samples"));
  auto old_llvm = rustc_of("release: 1.57.0\nLLVM version: 9.0.1\n", neither, unstable);
  ASSERT_FALSE(old_llvm);
  EXPECT_THAT(old_llvm.error().message, HasSubstr("of LLVM 9: profiles are for LLVM"));
}

TEST(Rustc, OptionsAreStableOrPermitted) {
  auto rustc = rustc_of(versions, neither, unstable);
  ASSERT_TRUE(rustc);
  EXPECT_EQ(rustc->release, "1.96.0");
  EXPECT_EQ(rustc->host, "x86_64-unknown-linux-gnu");
  EXPECT_EQ(rustc->llvm, 22u);
  EXPECT_EQ(rustc->sampled, "-Zprofile-sample-use=");
  EXPECT_TRUE(rustc->unstable);
  EXPECT_THAT(rustc->profiling(), ElementsAre("-g", "-Cstrip=none", "-Zdebug-info-for-profiling"));

  auto later = rustc_of(versions, stable, neither);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->sampled, "-Cprofile-sample-use=");
  EXPECT_FALSE(later->unstable);
  EXPECT_THAT(later->profiling(), ElementsAre("-g", "-Cstrip=none", "-Cdebuginfo-for-profiling"));
}

}  // namespace
}  // namespace pgokit::optimize
