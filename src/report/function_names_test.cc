#include "report/function_names.h"

#include <gtest/gtest.h>

namespace pgokit::report {
namespace {

TEST(FunctionNames, ArePlain) {
  FunctionNames names;
  for (const char* name : {"_Z3addii.llvm.17", "main", "f.__uniq.3.cold", "_RNvC1a1f"})
    names.add(name);
  EXPECT_EQ(names.of("_Z3addii.llvm.17"), "add(int, int)");
  EXPECT_EQ(names.of("main"), "main");
  EXPECT_EQ(names.of("f.__uniq.3.cold"), "f.cold");
  EXPECT_EQ(names.of("_RNvC1a1f"), "a::f");
  EXPECT_EQ(names.of("_Z1gv"), "g()") << "one that was not added";
}

TEST(FunctionNames, AreAsInTheFileIfAskedFor) {
  FunctionNames names(true);
  names.add("_ZL3addii.__uniq.17");
  EXPECT_EQ(names.of("_ZL3addii.__uniq.17"), "_ZL3addii.__uniq.17");
  EXPECT_EQ(function_name("_Z1fv", true), "_Z1fv");
  EXPECT_EQ(function_name("_Z1fv"), "f()");
}

TEST(FunctionNames, LeaveOutWhatIsReturnedIfAskedFor) {
  FunctionNames names(false, ReturnType::left_out);
  for (const char* name : {"_Z1fIiEvT_", "_Z1gIiEvv", "_Z1gIiEiv"}) names.add(name);
  EXPECT_EQ(names.of("_Z1fIiEvT_"), "f<int>(int)");
  EXPECT_EQ(names.of("_Z1gIiEvv"), "g<int>() [_Z1gIiEvv]") << "it alone told them apart";
}

TEST(FunctionNames, LongOnesLoseTheirMiddle) {
  EXPECT_EQ(shortened("abcdefghijkl", 12), "abcdefghijkl");
  EXPECT_EQ(shortened("abcdefghijklm", 12), "abcdef...klm");
  EXPECT_EQ(shortened("abcdefghijklm", 3), "abcdefghijklm") << "there is no room for any of it";
  EXPECT_EQ(shortened("abcde\u00f6ghijklmnop", 12), "abcde...nop") << "letters stay whole";
  EXPECT_EQ(shortened("abcdefghijk\u00f6mn", 12), "abcdef...mn");
}

TEST(FunctionNames, NamesakesShowTheirSuffix) {
  FunctionNames names;
  for (const char* name : {"f", "f.__uniq.1", "f.__uniq.2.llvm.5", "f.__uniq.1"}) names.add(name);
  EXPECT_EQ(names.of("f"), "f");
  EXPECT_EQ(names.of("f.__uniq.1"), "f.__uniq.1");
  EXPECT_EQ(names.of("f.__uniq.2.llvm.5"), "f.__uniq.2.llvm.5");
}

TEST(FunctionNames, NamesakesShowTheirFile) {
  FunctionNames names;
  names.add("f.__uniq.1", "a.c");
  names.add("f.__uniq.2", "b.c");
  names.add("f", "c.c");
  names.add("g", "a.c");
  EXPECT_EQ(names.of("f.__uniq.1", "a.c"), "f (a.c)");
  EXPECT_EQ(names.of("f.__uniq.2", "b.c"), "f (b.c)");
  EXPECT_EQ(names.of("f", "c.c"), "f (c.c)");
  EXPECT_EQ(names.of("g", "a.c"), "g");
}

TEST(FunctionNames, OfSwiftAreKnown) {
  FunctionNames names, mangled(true);
  for (const char* name : {"main", "$", "s4main", "_ZN3$s4main"}) names.add(name);
  EXPECT_FALSE(names.has_swift());
  for (const char* name : {"$s4main4loop1nS2i_tF", "$S4main4loop1nS2i_tF"}) {
    FunctionNames one;
    one.add(name);
    EXPECT_TRUE(one.has_swift()) << name;
    EXPECT_EQ(one.of(name), name);
    mangled.add(name);
  }
  EXPECT_FALSE(mangled.has_swift());
}

TEST(FunctionNames, StandInContexts) {
  FunctionNames names;
  names.add_context("main:3 @ _Z1fv:2.1 @ _Z1gv");
  EXPECT_EQ(names.of_context("main:3 @ _Z1fv:2.1 @ _Z1gv"), "main:3 @ f():2.1 @ g()");
  EXPECT_EQ(names.of_context("_Z1fv"), "f()");
  for (const char* odd : {"", " @ ", "a @ ", ": @ :", "a @ b"})
    EXPECT_EQ(names.of_context(odd), odd);
}

TEST(FunctionNames, WhatElseLooksAlikeShowsTheLinkageName) {
  FunctionNames names;
  for (const char* name : {"_ZN1AC1Ev", "_ZN1AC2Ev"}) names.add(name, "a.cc");
  EXPECT_EQ(names.of("_ZN1AC1Ev", "a.cc"), "A::A() [_ZN1AC1Ev]");
  EXPECT_EQ(names.of("_ZN1AC2Ev", "a.cc"), "A::A() [_ZN1AC2Ev]");
}

}  // namespace
}  // namespace pgokit::report
