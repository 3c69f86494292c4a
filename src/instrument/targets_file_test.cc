#include "instrument/targets_file.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
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

TEST(TargetsFile, KeepsFunctionsOfOneNameApart) {
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
  auto file = targets_file(profile);
  EXPECT_EQ(file.text,
            "# pgokit targets 2\n"
            "function 0000000000000abc a.c;f\n"
            "call 1 2 11\n 6 g\n 5 b.c;f\n"
            "call 7 2 2\n 2 a.c;f\n"
            "function - b.c;f\n"
            "call 1 2 3\n 3 a.c;f\n");
  EXPECT_EQ(file.calls, 3);
  EXPECT_EQ(file.without_line, 1);
}

// Copies of one call are one; what lies elsewhere counts for the whole and is not named.
TEST(TargetsFile, AddsCopiesUp) {
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
  EXPECT_EQ(targets_file(profile).text,
            "# pgokit targets 2\nfunction - f\ncall 1 2 12\n 9 f\nsize 1 2 8\n 8 64\n");
}

// No name of a program adds lines to the file.
TEST(TargetsFile, LeavesOutNamesWithLineBreaks) {
  MapBuilder map;
  map.function({.name = "f\ncall 1 1 1",
                .address = 0x10,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x12}}});
  map.function({.name = "g", .address = 0x20, .kinds = MIP_TARGETS, .sites = {{.address = 0x22}}});
  auto profile = profile_of(map);
  profile.values = {{0, 0, 0, 0x20, 5}, {0, 1, 0, 0x10, 6}};
  auto file = targets_file(profile);
  EXPECT_EQ(file.text, "# pgokit targets 2\nfunction - g\ncall 1 2 6\n");
  EXPECT_EQ(file.unwritable, 2) << "once as a function, once as a target";
  EXPECT_EQ(file.without_line, 0);
}

}  // namespace
}  // namespace pgokit::instrument
