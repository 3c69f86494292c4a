#include "instrument/use_file.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "instrument/values.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using test::MapBuilder;

Profile profile_of(const MapBuilder& map) {
  auto read = read_map("app", as_bytes(map.program("\x01")));
  EXPECT_TRUE(read) << read.error().message;
  Profile profile;
  profile.modules.push_back(std::move(read->module));
  return profile;
}

TEST(UseFile, KeepsFunctionsOfOneNameApart) {
  MapBuilder map;
  map.function({.name = "f",
                .address = 0x10,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x12}},
                .source = "a.c;f"});
  map.function({.name = "f",
                .address = 0x20,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x22}},
                .source = "b.c;f"});
  map.function({.name = "g",
                .address = 0x30,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x32, .line = 7, .function = "a.c;f"},
                          {.address = 0x34, .line = MIP_NO_LINE}}});
  map.checksum("a.c;f", 0xabc);
  auto profile = profile_of(map);
  profile.values = {{0, 0, 0, 0x20, 5},
                    {0, 0, 0, 0x30, 6},
                    {0, 1, 0, 0x10, 3},
                    {0, 2, 0, 0x10, 2},
                    {0, 3, 0, 0x10, 9}};
  auto file = use_file({.targets = &profile});
  EXPECT_EQ(file.text,
            "# pgokit use 4\n"
            "function 0000000000000abc a.c;f\n"
            "call - 1 2 11\n 6 g\n 5 b.c;f\n"
            "call - 7 2 2\n 2 a.c;f\n"
            "function - b.c;f\n"
            "call - 1 2 3\n 3 a.c;f\n");
  EXPECT_EQ(file.calls, 3);
  EXPECT_EQ(file.without_place, 1);
}

// Copies of one call are one; what lies elsewhere counts for the whole and is not named.
TEST(UseFile, AddsCopiesUp) {
  MapBuilder map;
  map.function(
      {.name = "f",
       .address = 0x10,
       .kinds = MIP_TARGETS | MIP_SIZES,
       .sites = {{.address = 0x12}, {.address = 0x14}, {.address = 0x16, .kind = MIP_SIZES}}});
  auto profile = profile_of(map);
  profile.values = {{0, 0, 0, 0x10, 5},
                    {0, 0, 0, 0x11, 1},
                    {0, 1, 0, 0x10, 4},
                    {0, 1, SiteValue::nowhere, 0x7f00, 2},
                    {0, 2, SiteValue::nowhere, 64, 8}};
  EXPECT_EQ(use_file({.targets = &profile}).text,
            "# pgokit use 4\nfunction - f\ncall - 1 2 12\n 9 f\nsize - 1 2 8\n 8 64\n");
}

// By the table's name and the place in it, which the plugin knows.
TEST(UseFile, NamesTables) {
  MapBuilder map;
  map.function({.name = "f",
                .address = 0x10,
                .kinds = MIP_TARGETS | MIP_TABLES,
                .sites = {{.address = 0x12, .number = 1},
                          {.address = 0x12, .kind = MIP_TABLES, .number = 1}}});
  map.checksum("f", 0xabc).table("_ZTV1A", 0x9000, 40).table("a.c;table", 0x8000, 16);
  auto profile = profile_of(map);
  profile.values = {
      {0, 0, 0, 0x10, 9}, {0, 1, 0, 0x8000, 2}, {0, 1, 0, 0x8010, 1}, {0, 1, 0, 0x9010, 6}};
  EXPECT_EQ(use_file({.targets = &profile}).text,
            "# pgokit use 4\nfunction 0000000000000abc f\n"
            "call 1 1 2 9\n 9 f\n"
            "table 1 1 2 9\n 6 _ZTV1A+16\n 2 a.c;table+0\n");
  EXPECT_EQ(value_name(profile, profile.values[1]), "table");
  EXPECT_EQ(value_name(profile, profile.values[2]), "0x8010");
  EXPECT_EQ(value_name(profile, profile.values[3]), "_ZTV1A+16");
}

// Numbers are of one version of a function. Copies without one are of the only call of the line.
TEST(UseFile, FindsCallsByNumber) {
  MapBuilder map;
  map.function({.name = "f",
                .address = 0x10,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x11, .line = MIP_NO_LINE, .number = 2},
                          {.address = 0x12, .number = 1},
                          {.address = 0x13},
                          {.address = 0x14, .line = 7, .number = 3},
                          {.address = 0x15, .line = 7, .number = 4},
                          {.address = 0x16, .line = 7}}});
  map.function({.name = "g",
                .address = 0x20,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x21, .line = MIP_NO_LINE, .number = 1},
                          {.address = 0x22, .number = 2}}});
  map.checksum("f", 0xabc);
  auto profile = profile_of(map);
  for (u32 site = 0; site < 8; ++site) profile.values.push_back({0, site, 0, 0x10, site + 1});
  auto file = use_file({.targets = &profile});
  EXPECT_EQ(file.text,
            "# pgokit use 4\n"
            "function 0000000000000abc f\n"
            "call 1 1 2 5\n 5 f\n"
            "call - 7 2 6\n 6 f\n"
            "call 3 7 2 4\n 4 f\n"
            "call 4 7 2 5\n 5 f\n"
            "call 2 - - 1\n 1 f\n"
            "function - g\n"
            "call - 1 2 8\n 8 f\n");
  EXPECT_EQ(file.calls, 6);
  EXPECT_EQ(file.without_place, 1);
}

// No name of a program adds lines to the file.
TEST(UseFile, LeavesOutNamesWithLineBreaks) {
  MapBuilder map;
  map.function({.name = "f\ncall 1 1 1",
                .address = 0x10,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x12}}});
  map.function({.name = "g", .address = 0x20, .kinds = MIP_TARGETS, .sites = {{.address = 0x22}}});
  auto profile = profile_of(map);
  profile.values = {{0, 0, 0, 0x20, 5}, {0, 1, 0, 0x10, 6}};
  auto file = use_file({.targets = &profile});
  EXPECT_EQ(file.text, "# pgokit use 4\nfunction - g\ncall - 1 2 6\n");
  EXPECT_EQ(file.unwritable, 2) << "once as a function, once as a target";
  EXPECT_EQ(file.without_place, 0);
}

}  // namespace
}  // namespace pgokit::instrument
