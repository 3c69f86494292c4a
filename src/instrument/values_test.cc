#include "instrument/values.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "instrument/merge.h"
#include "instrument/profile_file.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using test::bytes_of;
using test::DumpBuilder;
using test::MapBuilder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr u64 bias = 0x550000;
constexpr u64 first_site = 24;  // behind the section's header

MapBuilder two_calls() {
  MapBuilder map;
  map.function({.name = "caller",
                .address = 0x1000,
                .kinds = MIP_TARGETS | MIP_SIZES,
                .sites = {{0x1004}, {0x1008, MIP_SIZES, 7, 1, "inlined"}}});
  map.function({.name = "f", .address = 0x2000, .kinds = MIP_TARGETS});
  map.function({.name = "g", .address = 0x3000, .kinds = MIP_TARGETS});
  return map;
}

std::string site(u64 value, u64 hits, u64 taken = 0, u16 module = 0) {
  return bytes_of(mip_site{value, hits, taken, 0, module, 0, 0});
}

mip_target row(u64 at, u64 value, u64 count, u32 module = 0) {
  return {at, value, count, module, 0};
}

mip_module library(u64 start, std::string_view id, std::string_view name) {
  mip_module module{start, start + 0x1000, start, static_cast<u32>(id.size()), 0, {}, {}};
  std::memcpy(module.build_id, id.data(), id.size());
  std::memcpy(module.name, name.data(), name.size());
  return module;
}

DumpBuilder dump_of(const std::string& call, const std::string& copy = site(0, 0)) {
  return {.build_id = "id", .raw = MapBuilder::raw({call + copy}), .bias = bias};
}

Profile merged(const std::vector<std::string>& files, MergeFacts* facts = nullptr) {
  Merger merger;
  auto map = read_map("app", as_bytes(two_calls().program("id")));
  EXPECT_TRUE(map) << map.error().message;
  merger.add_map(std::move(map->module));
  for (u32 i = 0; i < files.size(); ++i) merger.see_dumps(i, as_bytes(files[i]), 1);
  for (u32 i = 0; i < files.size(); ++i) merger.add_dumps(i, as_bytes(files[i]));
  if (facts) *facts = merger.facts();
  return merger.finish();
}

// "f 3"
std::vector<std::string> values_of(const Profile& profile, u32 number) {
  std::vector<std::string> text;
  for (const auto& value : profile.values)
    if (value.site == number)
      text.push_back(fmt::format("{} {}", value_name(profile, value), value.count));
  return text;
}

TEST(Values, SitesAreReadFromTheMap) {
  auto read = read_map_section(as_bytes(two_calls().section()));
  ASSERT_TRUE(read);
  const auto& module = read->module;
  ASSERT_EQ(module.sites.size(), 2);
  EXPECT_EQ(module.sites[0].address, 0x1004);
  EXPECT_EQ(module.sites[0].raw, first_site);
  EXPECT_EQ(module.name(module.sites[0]), "caller");
  EXPECT_EQ(module.sites[1].kind, u32{MIP_SIZES});
  EXPECT_EQ(module.name(module.sites[1]), "inlined");
  EXPECT_EQ(module.sites[1].line, 7);
  EXPECT_EQ(module.sites_of(module.functions[0]).size(), 2);
  EXPECT_THAT(module.sites_of(module.functions[1]), IsEmpty());
}

TEST(Values, SitesThatMakeNoSenseDamageTheirRecord) {
  auto wrong_kind = MapBuilder().function(
      {.name = "f", .address = 0x1000, .kinds = MIP_TARGETS, .sites = {{0x1004, MIP_SIZES}}});
  auto read = read_map_section(as_bytes(wrong_kind.section()));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("a kind that its function does not have"));

  std::string section = two_calls().section();
  const u32 many = 1000;
  std::memcpy(section.data() + 24 + sizeof(mip_function) + strlen("caller") + 8, &many, 4);
  auto more = read_map_section(as_bytes(section));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->facts.damaged, 1);
  EXPECT_THAT(more->facts.first_damage, HasSubstr("more sites than its record"));
  EXPECT_THAT(more->module.sites, IsEmpty());
}

TEST(Values, TheSumIsWhatWasRecorded) {
  auto dump = dump_of(site(0x552000, 100, 40), site(8, 5));
  dump.targets = {row(first_site, 0x553000, 30), row(first_site, 0x552000, 4)};
  auto profile = merged({dump.record()});
  EXPECT_THAT(values_of(profile, 0), ElementsAre("f 64", "g 30"));
  EXPECT_THAT(values_of(profile, 1), ElementsAre("8 5"));
  EXPECT_THAT(profile.modules[0].data.values_dropped, ElementsAre(6, 0));
  auto sites = summaries_of(profile, MIP_TARGETS);
  ASSERT_EQ(sites.size(), 1);
  EXPECT_EQ(sites[0].total, 100);
  EXPECT_EQ(sites[0].values[0].count, 64);
  EXPECT_EQ(covered(sites, 1), 64);
  EXPECT_EQ(covered(sites, 9), 94);
}

TEST(Values, LostHitsAreNoNegativeCounts) {
  auto profile = merged({dump_of(site(0x552000, 10, 12)).record()});
  EXPECT_THAT(values_of(profile, 0), IsEmpty());
  EXPECT_EQ(profile.modules[0].data.values_dropped[0], 10);
}

TEST(Values, TargetsElsewhereHaveModuleAndOffset) {
  auto dump = dump_of(site(0x700010, 3, 0, 1));
  dump.modules = {library(0x700000, "lib", "/lib/libx.so"), library(0x800000, "", "/lib/liby.so")};
  dump.targets = {row(first_site, 0x800020, 2, 2), row(first_site, 0x900000, 1),
                  row(first_site, 0x900010, 1, 77)};
  auto twice = dump;
  twice.pid = 2, twice.bias = 0x560000;
  twice.raw = MapBuilder::raw({site(0x710010, 3, 0, 1) + site(0, 0)});
  twice.modules[0] = library(0x710000, "lib", "/lib/libx.so");
  twice.targets = {};
  auto profile = merged({dump.record(), twice.record()});
  EXPECT_THAT(values_of(profile, 0),
              testing::UnorderedElementsAre("0x10 in libx.so 6", "0x20 in liby.so 2", "0x900000 1",
                                            "0x900010 1"));
}

TEST(Values, AddressesOfArmHaveNoBitOfTheInstructionSet) {
  auto dump = dump_of(site(0x552001, 10), site(7, 1));
  dump.targets = {row(first_site, 0x552000, 2), row(first_site, 0x553001, 3)};
  EXPECT_THAT(values_of(merged({dump.record()}), 0), Not(Contains(StartsWith("g "))));
  dump.machine = EM_ARM;
  auto profile = merged({dump.record()});
  EXPECT_THAT(values_of(profile, 0), ElementsAre("f 12", "g 3"));
  EXPECT_THAT(values_of(profile, 1), ElementsAre("7 1"));  // a size is none
}

TEST(Values, RowsOfNoSiteAndImpossibleCountsAreToldAndLeftOut) {
  MergeFacts facts;
  auto dump = dump_of(site(0x552000, 10));
  dump.targets = {row(999, 0x553000, 3), row(0, 5, 5)};
  auto profile = merged({dump.record()}, &facts);
  EXPECT_EQ(facts.unknown_values, 1);
  EXPECT_THAT(values_of(profile, 0), ElementsAre("f 10"));

  dump.targets = {row(first_site, 0x553000, ~u64{0})};
  profile = merged({dump.record()}, &facts);
  EXPECT_EQ(facts.implausible_sites, 1);
  EXPECT_THAT(values_of(profile, 0), IsEmpty());

  auto cut = dump_of("");
  cut.raw = MapBuilder::raw({""});
  EXPECT_THAT(values_of(merged({cut.record()}), 0), IsEmpty());
}

TEST(Values, ProfilesKeepThem) {
  auto dump = dump_of(site(0x552000, 100, 40), site(8, 5));
  dump.modules = {library(0x700000, "lib", "/lib/libx.so")};
  dump.targets = {row(first_site, 0x700000, 30, 1)};
  auto profile = merged({dump.record()});
  auto written = write_profile(profile);
  auto read = read_profile(as_bytes(written));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->values, profile.values);
  EXPECT_EQ(read->modules[0].sites, profile.modules[0].sites);
  EXPECT_EQ(read->modules[0].functions, profile.modules[0].functions);
  EXPECT_EQ(write_profile(*read), written);

  Merger merger;
  merger.add_profile(*read, 2);
  merger.add_profile(profile, 1);
  auto sum = merger.finish();
  EXPECT_THAT(values_of(sum, 0), ElementsAre("f 180", "0x0 in libx.so 90"));
  EXPECT_EQ(sum.modules[0].data.values_dropped[0], 30);
}

}  // namespace
}  // namespace pgokit::instrument
