#include "instrument/merge.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "instrument/profile_file.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using test::bytes_of;
using test::DumpBuilder;
using test::MapBuilder;
using testing::ElementsAre;

constexpr u32 both = MIP_CALLS32 | MIP_COVERAGE;

MapBuilder two_functions() {
  MapBuilder map;
  map.function({.name = "main", .address = 0x1000, .kinds = both});
  map.function({.name = "f", .address = 0x2000, .kinds = both});
  return map;
}

Module module_of(const MapBuilder& map, const std::string& build_id = "id") {
  auto read = read_map("app", as_bytes(map.program(build_id)));
  EXPECT_TRUE(read) << read.error().message;
  return std::move(read->module);
}

std::string box(u32 calls, bool ran) { return bytes_of(calls) + (ran ? '\0' : '\xff'); }

DumpBuilder dump(u32 main_calls, u32 f_calls) {
  return {.build_id = "id",
          .raw = MapBuilder::raw({box(main_calls, true), box(f_calls, f_calls > 0)})};
}

Profile merged(Merger& merger, const std::vector<std::string>& files,
               const std::vector<u64>& weights = {}) {
  for (u32 i = 0; i < files.size(); ++i)
    merger.see_dumps(i, as_bytes(files[i]), weights.empty() ? 1 : weights[i]);
  for (u32 i = 0; i < files.size(); ++i) merger.add_dumps(i, as_bytes(files[i]));
  return merger.finish();
}

TEST(Merge, AddsDumpsTimesTheirWeights) {
  Merger merger;
  merger.add_map(module_of(two_functions()));
  auto second = dump(10, 5);
  second.pid = 2;
  auto profile = merged(merger, {dump(1, 0).record(), second.record()}, {1, 3});
  ASSERT_EQ(profile.modules.size(), 1);
  const auto& data = profile.modules[0].data;
  EXPECT_EQ(data.dumps, 4);
  EXPECT_THAT(data.calls, ElementsAre(31, 15));
  EXPECT_THAT(data.ran, ElementsAre(4, 3));
}

TEST(Merge, TakesTheLastDumpOfAProcess) {
  auto first = dump(1, 0), last = dump(7, 2);
  last.sequence = 3;
  for (bool swapped : {false, true}) {
    Merger merger;
    merger.add_map(module_of(two_functions()));
    std::vector<std::string> files{first.record(), last.record()};
    if (swapped) std::swap(files[0], files[1]);
    auto profile = merged(merger, files);
    EXPECT_THAT(profile.modules[0].data.calls, ElementsAre(7, 2));
    EXPECT_EQ(merger.facts().superseded, 1);
  }
}

TEST(Merge, StopsAtTheLargestCount) {
  MapBuilder map;
  map.function({.name = "f", .address = 0x1000, .kinds = MIP_CALLS64});
  Merger merger;
  merger.add_map(module_of(map));
  DumpBuilder many{.build_id = "id", .raw = MapBuilder::raw({bytes_of(u64{1} << 56)})};
  auto profile = merged(merger, {many.record()}, {1000});
  EXPECT_EQ(profile.modules[0].data.calls[0], ~u64{0});
}

TEST(Merge, LeavesOutFunctionsWithImpossibleCounters) {
  auto bad = dump(3, 4);
  bad.raw.back() = 7;  // the coverage byte of f
  Merger merger;
  merger.add_map(module_of(two_functions()));
  auto profile = merged(merger, {bad.record()});
  EXPECT_EQ(merger.facts().implausible, 1);
  EXPECT_THAT(profile.modules[0].data.calls, ElementsAre(3, 0));
}

TEST(Merge, NeedsTheMapOfTheDump) {
  auto other = dump(1, 1);
  other.build_id = "xy";
  Merger merger;
  merger.add_map(module_of(two_functions()));
  auto profile = merged(merger, {other.record()});
  EXPECT_EQ(merger.facts().dumps, 0);
  EXPECT_EQ(merger.facts().without_map, 1);
  EXPECT_EQ(merger.facts().first_without_map, "/bin/app (build id 7879)");

  Merger moved;
  moved.add_map(module_of(two_functions()));
  auto elsewhere = dump(1, 1);
  elsewhere.raw_address += 8;
  merged(moved, {elsewhere.record()});
  EXPECT_EQ(moved.facts().misfits, 1);
}

TEST(Merge, MatchesWithoutBuildIdByPlace) {
  Merger merger;
  merger.add_map(module_of(two_functions(), ""));
  auto profile = merged(merger, {dump(2, 0).record()});
  EXPECT_EQ(merger.facts().without_build_id, 1);
  EXPECT_THAT(profile.modules[0].data.calls, ElementsAre(2, 0));
}

TEST(Merge, RefusesFunctionsThatTwoMapsDescribeDifferently) {
  MapBuilder other;
  other.function({.name = "main", .address = 0x1000, .kinds = both});
  other.function({.name = "f", .address = 0x2000, .kinds = both, .signature = 9});
  Merger merger;
  merger.add_map(module_of(two_functions()));
  merger.add_map(module_of(two_functions()));
  EXPECT_EQ(merger.facts().mismatched, 0);
  merger.add_map(module_of(other));
  EXPECT_EQ(merger.facts().mismatched, 1);
  EXPECT_EQ(merger.facts().first_mismatch, "f");
}

mip_module loaded(u64 start, u64 bias, std::string_view id) {
  mip_module module{start, start + 0x1000, bias, static_cast<u32>(id.size()), 0, {}, {}};
  std::memcpy(module.build_id, id.data(), id.size());
  return module;
}

TEST(Merge, NamesBothEndsOfSampledCalls) {
  auto with_edges = dump(1, 1);
  with_edges.bias = 0x10000;
  with_edges.edge_rate = 100;
  with_edges.modules = {loaded(0x50000, 0x40000, "lib"), loaded(0x70000, 0, "")};
  with_edges.edges = {
      {0x11005, 0x12001, 2}, {0x11005, 0x12000, 1}, {0x11009, 0x50010, 4}, {0x1, 0x70010, 1}, {}};
  Merger merger;
  merger.add_map(module_of(two_functions()));
  auto profile = merged(merger, {with_edges.record()});
  EXPECT_EQ(merger.facts().edges_elsewhere, 1);
  ASSERT_EQ(profile.modules.size(), 2);
  EXPECT_EQ(profile.modules[1].build_id, "lib");
  EXPECT_THAT(profile.edges,
              ElementsAre(Edge{0, 0, 0x1005, 0x2000, 3, 300}, Edge{0, 1, 0x1009, 0x10010, 4, 400}));
}

TEST(Merge, GivesTheSameFileInAnyOrder) {
  MapBuilder library;
  library.function({.name = "lib", .address = 0x100, .kinds = MIP_ORDER});
  DumpBuilder of_library{.build_id = "lib",
                         .raw = MapBuilder::raw({bytes_of(mip_first_run{3, 70})}),
                         .edges = {{0x105, 0x108, 2}}};
  std::vector<std::string> files{dump(1, 0).record(), of_library.record()};
  Merger one, two;
  one.add_map(module_of(two_functions()));
  one.add_map(module_of(library, "lib"));
  two.add_map(module_of(library, "lib"));
  two.add_map(module_of(two_functions()));
  std::string a = write_profile(merged(one, files));
  std::swap(files[0], files[1]);
  EXPECT_EQ(a, write_profile(merged(two, files)));
  auto read = read_profile(as_bytes(a));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(write_profile(*read), a);
}

TEST(Merge, AddsProfiles) {
  Merger first;
  first.add_map(module_of(two_functions()));
  auto profile = merged(first, {dump(2, 1).record()});
  Merger merger;
  merger.add_profile(profile, 1);
  merger.add_profile(profile, 2);
  auto sum = merger.finish();
  EXPECT_EQ(sum.modules[0].data.dumps, 3);
  EXPECT_THAT(sum.modules[0].data.calls, ElementsAre(6, 3));
}

}  // namespace
}  // namespace pgokit::instrument
