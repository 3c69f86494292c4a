#include "base/unique_names.h"

#include <gtest/gtest.h>

namespace pgokit {
namespace {

using Names = std::vector<std::string_view>;

TEST(UniqueNames, AreSplit) {
  auto name = split_unique_name("_ZL1fi.__uniq.123.cold");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->name, "_ZL1fi");
  EXPECT_EQ(name->path, "123");
  EXPECT_EQ(name->rest, ".cold");
  EXPECT_TRUE(split_unique_name("f.__uniq.9"));
  for (auto other : {"f", "f.__uniq.", "f.__uniq.x", "f.__uniq.12x", ".__uniq.12", ""})
    EXPECT_FALSE(split_unique_name(other)) << other;
}

// As clang 14 to 22 name a function of that file.
TEST(UniqueNames, HaveTheNumberOfThePath) {
  EXPECT_EQ(path_number("sub/a.c"), "168235878804436942525109318319285043273");
  EXPECT_EQ(path_number("./sub/a.c"), "311500030379971509845732729778368628506");
}

TEST(SourcePaths, FunctionsOfOneNameFollowTheirFile) {
  Names olds{"init.__uniq.1", "parse.__uniq.1", "init.__uniq.2", "run.__uniq.2", "plain"};
  Names news{"init.__uniq.8", "run.__uniq.8", "init.__uniq.9", "parse.__uniq.9", "plain"};
  SourcePaths paths(olds, news);
  EXPECT_EQ(paths.find("init.__uniq.1"), 2);
  EXPECT_EQ(paths.find("init.__uniq.2"), 0);
  EXPECT_EQ(paths.find("run.__uniq.2"), 1);
  EXPECT_FALSE(paths.find("run.__uniq.1")) << "that file has none";
  EXPECT_FALSE(paths.find("plain"));
}

TEST(SourcePaths, APathOfBothBuildsStays) {
  SourcePaths paths(Names{"f.__uniq.1", "g.__uniq.1"}, Names{"f.__uniq.1", "g.__uniq.2"});
  EXPECT_FALSE(paths.find("g.__uniq.1")) << "g has left the file";
}

TEST(SourcePaths, NothingIsGuessed) {
  Names olds{"init.__uniq.1"}, news{"init.__uniq.8", "init.__uniq.9"};
  EXPECT_FALSE(SourcePaths(olds, news).find("init.__uniq.1"));
  SourcePaths alike(olds, news, [](u32, u32 now) { return now == 1 ? 3 : 0; });
  EXPECT_EQ(alike.find("init.__uniq.1"), 1) << "it looks like the second";
}

TEST(SourcePaths, WhatIsDecidedMakesRoom) {
  Names olds{"a.__uniq.1", "b.__uniq.1", "a.__uniq.2"};
  Names news{"a.__uniq.8", "b.__uniq.8", "a.__uniq.9"};
  SourcePaths paths(olds, news);
  EXPECT_EQ(paths.find("a.__uniq.1"), 0);
  EXPECT_EQ(paths.find("a.__uniq.2"), 2);
}

}  // namespace
}  // namespace pgokit
