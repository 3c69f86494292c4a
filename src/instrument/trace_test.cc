#include "instrument/trace.h"

#include <gmock/gmock.h>

#include "instrument/add_dump.h"
#include "instrument/map.h"
#include "instrument/profile_file.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using test::DumpBuilder;
using test::MapBuilder;
using testing::ElementsAre;

constexpr u32 calls_kinds = MIP_ORDER_CALLS | MIP_COVERAGE;

Module module_of(const MapBuilder& map) {
  return read_map_section(as_bytes(map.section()))->module;
}

// a, b and c, which have these ids.
Module logged(mip_order_id a, mip_order_id b, mip_order_id c) {
  MapBuilder map;
  map.function({.name = "a", .address = 0x1000, .kinds = MIP_ORDER_LOG, .order_id = a});
  map.function({.name = "b", .address = 0x1010, .kinds = MIP_ORDER_LOG, .order_id = b});
  map.function({.name = "c", .address = 0x1020, .kinds = MIP_ORDER_LOG, .order_id = c});
  return module_of(map);
}

struct Read {
  explicit Read(const DumpBuilder& builder) : bytes(builder.record()) {
    DumpReader reader(as_bytes(bytes));
    dump = reader.next().value();
  }
  std::string bytes;
  Dump dump;
};

TEST(Trace, RingOfIds) {
  Module module = logged({7, 0}, {7, 1}, {9, 0});
  EXPECT_EQ(module.name(module.functions[2]), "c");
  Read read(
      {.raw = MapBuilder::raw({}), .order_ids = {{9, 0}, {0, 0}, {7, 0}, {7, 5}}, .lost_order = 3});
  Trace trace = trace_of(module, read.dump);
  EXPECT_THAT(trace.runs, ElementsAre(TracedRun{2, 4, 0}, TracedRun{0, 6, 0}));
  EXPECT_FALSE(trace.has_times);
  EXPECT_EQ(trace.unknown, 1);
  EXPECT_EQ(trace.lost, 3);
}

TEST(Trace, IdsThatTwoFunctionsHave) {
  Module module = logged({7, 0}, {7, 0}, {9, 0});
  Read read({.raw = MapBuilder::raw({}), .order_ids = {{7, 0}, {9, 0}}});
  Trace trace = trace_of(module, read.dump);
  EXPECT_THAT(trace.runs, ElementsAre(TracedRun{2, 2, 0}));
  EXPECT_EQ(trace.ambiguous, 1);
}

TEST(Trace, LogOfCalls) {
  MapBuilder map;
  map.function({.name = "a", .address = 0x1000, .kinds = calls_kinds});
  map.function({.name = "b", .address = 0x9000, .kinds = calls_kinds});
  Module module = module_of(map);
  auto to = [](i64 address) { return static_cast<i32>(address - i64{MapBuilder::raw_address}); };
  Read read({.raw = MapBuilder::raw({std::string(1, '\0'), "\xff"}),
             .order_calls = {
                 {to(0x9004), 5}, {to(0x9008), 6}, {to(0x1004), 7}, {to(0x2000), 8}, {0, 0}}});
  Trace trace = trace_of(module, read.dump);
  EXPECT_THAT(trace.runs, ElementsAre(TracedRun{1, 1, 5}, TracedRun{0, 3, 7}));
  EXPECT_TRUE(trace.has_times);
  EXPECT_EQ(trace.unknown, 1);
}

TEST(Trace, IsAddedToProfiles) {
  Module module = logged({7, 0}, {7, 1}, {9, 0});
  Read read({.raw = MapBuilder::raw({}), .order_ids = {{9, 0}, {7, 0}, {1, 1}}});
  DumpUse use = add_dump(module, read.dump, 2);
  EXPECT_EQ(use.unknown_order, 1);
  EXPECT_EQ(module.data.first[2], (FirstRuns{2, 2, 0}));
  EXPECT_EQ(module.data.first[0], (FirstRuns{2, 4, 0}));
  EXPECT_THAT(module.data.ran, ElementsAre(2, 0, 2));
}

// A counter and the log tell the same.
TEST(Trace, RanOnceInADump) {
  MapBuilder map;
  map.function({.name = "a",
                .address = 0x1000,
                .kinds = MIP_ORDER_LOG | MIP_BLOCK_COVERAGE,
                .counters = 1,
                .blocks = {{0, 0}},
                .order_id = {7, 0}});
  Module module = module_of(map);
  Read read({.raw = MapBuilder::raw({std::string(1, '\0')}), .order_ids = {{7, 0}}});
  add_dump(module, read.dump, 3);
  EXPECT_THAT(module.data.ran, ElementsAre(3));
}

TEST(Trace, NumbersSurviveInProfiles) {
  Profile profile;
  profile.modules.push_back(logged({7, 0}, {7, 1}, {9, 0}));
  auto read = read_profile(as_bytes(write_profile(profile)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->modules[0].functions, profile.modules[0].functions);
}

}  // namespace
}  // namespace pgokit::instrument
