#include "instrument/hotness.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "profile/format.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines_of(const std::vector<FunctionHotness>& functions) {
  std::vector<std::string> lines;
  for (const auto& each : functions)
    lines.push_back(fmt::format("{} {:x} {} {}{}", each.name, each.checksum,
                                hotness_name(each.hotness), each.work,
                                each.often_called ? " often" : ""));
  return lines;
}

Profile profile_of(const test::MapBuilder& map, std::vector<u64> calls) {
  auto read = read_map("app", as_bytes(map.program("\x01")));
  EXPECT_TRUE(read) << read.error().message;
  Profile profile;
  auto& module = profile.modules.emplace_back(std::move(read->module));
  module.data.dumps = 1;
  for (size_t i = 0; i < calls.size(); ++i) {
    module.data.calls[i] = calls[i];
    module.data.ran[i] = calls[i] > 0;
  }
  return profile;
}

TEST(Hotness, HotAreTheFewestThatDoMostOfTheWork) {
  test::MapBuilder map;
  map.function({.name = "f", .address = 0x10, .kinds = MIP_CALLS64, .checksum = 0xa});
  map.function(
      {.name = "g", .address = 0x20, .kinds = MIP_CALLS64, .source = "x.c;g", .checksum = 0xb});
  map.function({.name = "h", .address = 0x30, .kinds = MIP_CALLS64});
  map.function({.name = "i", .address = 0x40, .kinds = MIP_CALLS64, .checksum = 0xd});
  map.function({.name = "blind", .address = 0x50, .kinds = MIP_EDGES, .checksum = 0xe});
  auto profile = profile_of(map, {900, 90, 10, 0, 0});
  EXPECT_THAT(
      lines_of(hotness_of(profile, {}, {})),
      ElementsAre("f a hot 900 often", "h 0 warm 10", "i d cold 0", "x.c;g b hot 90 often"));
  EXPECT_THAT(lines_of(hotness_of(profile, {}, {.hot_percent = 90})),
              ElementsAre("f a hot 900 often", "h 0 warm 10", "i d cold 0", "x.c;g b warm 90"));
}

TEST(Hotness, WhatIsInlinedRanThere) {
  test::MapBuilder map;
  map.function({.name = "f", .address = 0x10, .kinds = MIP_CALLS64});
  map.function({.name = "g", .address = 0x20, .kinds = MIP_CALLS64, .source = "x.c;g"});
  map.function({.name = "g", .address = 0x30, .kinds = MIP_CALLS64, .source = "y.c;g"});
  auto profile = profile_of(map, {900, 0, 0});
  EXPECT_THAT(lines_of(hotness_of(profile, {{"g", 5}, {"only_inlined", 950}}, {})),
              ElementsAre("f 0 hot 900 often", "only_inlined 0 hot 950", "x.c;g 0 warm 5",
                          "y.c;g 0 warm 5"));
}

TEST(Hotness, CoverageTellsNoHotOnes) {
  test::MapBuilder map;
  map.function({.name = "f", .address = 0x10});
  map.function({.name = "g", .address = 0x20});
  auto profile = profile_of(map, {});
  EXPECT_THAT(lines_of(hotness_of(profile, {}, {})), ElementsAre("f 0 cold 0", "g 0 cold 0"));
  profile.modules[0].data.ran = {2, 0};
  EXPECT_THAT(lines_of(hotness_of(profile, {}, {})), ElementsAre("f 0 warm 2", "g 0 cold 0"));
  profile.modules[0].data.dumps = 0;
  profile.modules[0].data.ran = {0, 0};
  EXPECT_THAT(hotness_of(profile, {}, {}), testing::IsEmpty());
}

TEST(Hotness, SamplesOfInlineesAreTheirOwn) {
  auto read = profile::read_profile(
      as_bytes("main:1000:1\n 1: 10\n 2: leaf:990\n  1: 495\n  2: 495\n 3: unused:0\n  1: 0\n 4: "
               "silent:0\n  1: 0\nother:5:5\n 1: 5\n"));
  ASSERT_TRUE(read) << read.error().message;
  read->profile.symbols.intern("unused");
  read->profile.symbols.intern("main");
  EXPECT_THAT(
      lines_of(hotness_of(read->profile, {.hot_percent = 90})),
      ElementsAre("leaf 0 hot 990 often", "main 0 warm 10", "other 0 warm 5", "unused 0 cold 0"));
}

}  // namespace
}  // namespace pgokit::instrument
