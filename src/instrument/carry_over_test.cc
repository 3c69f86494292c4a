#include "instrument/carry_over.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using testing::ElementsAre;

Module module_of(const test::MapBuilder& map, const std::string& build_id) {
  auto read = read_map("app", as_bytes(map.program(build_id)));
  EXPECT_TRUE(read) << read.error().message;
  return std::move(read->module);
}

TEST(CarryOver, TakesFunctionsWhoseGraphIsTheSame) {
  test::MapBuilder older, newer;
  older.function({.name = "same", .address = 0x100, .kinds = MIP_CALLS64});
  older.function({.name = "changed", .address = 0x200, .kinds = MIP_CALLS64, .signature = 1});
  older.function({.name = "gone", .address = 0x300, .kinds = MIP_CALLS64});
  older.function({.name = "static", .address = 0x400, .kinds = MIP_CALLS64});
  newer.function({.name = "new", .address = 0x100, .kinds = MIP_CALLS64});
  newer.function({.name = "same", .address = 0x900, .kinds = MIP_CALLS64});
  newer.function({.name = "changed", .address = 0xa00, .kinds = MIP_CALLS64, .signature = 2});
  newer.function({.name = "static", .address = 0xb00, .kinds = MIP_CALLS64});
  newer.function({.name = "static", .address = 0xc00, .kinds = MIP_CALLS64});
  Profile profile;
  profile.modules.push_back(module_of(older, "old"));
  auto& data = profile.modules[0].data;
  data.dumps = 2;
  data.calls = {5, 6, 7, 8};
  data.ran = {1, 1, 1, 1};
  profile.edges.push_back({0, 0, 0x105, 0x200, 1, 1});

  auto carried = carry_over(profile, module_of(newer, "new"));
  EXPECT_EQ(carried.taken, 1);
  EXPECT_EQ(carried.changed, 1);
  EXPECT_EQ(carried.first_changed, "changed");
  EXPECT_EQ(carried.gone, 1);
  EXPECT_EQ(carried.ambiguous, 1);
  EXPECT_EQ(carried.edges, 1);
  ASSERT_EQ(carried.profile.modules.size(), 1);
  const auto& module = carried.profile.modules[0];
  EXPECT_EQ(module.build_id, "new");
  EXPECT_EQ(module.data.dumps, 2);
  EXPECT_THAT(module.data.calls, ElementsAre(0, 5, 0, 0, 0));
}

TEST(CarryOver, KeepsWhatIsOfTheBuild) {
  test::MapBuilder map;
  map.function({.name = "f", .address = 0x100, .kinds = MIP_CALLS64});
  Profile profile;
  profile.modules.push_back(module_of(map, "old"));
  profile.modules.push_back(module_of(map, "new"));
  profile.modules[0].data.calls = {1};
  profile.modules[1].data.calls = {10};
  profile.edges.push_back({1, 1, 0x105, 0x100, 1, 1});
  profile.values = {{0, 0, 0, 0x100, 4},
                    {1, 0, 0, 0x100, 5},
                    {1, 0, 1, 0x100, 6},
                    {1, 1, SiteValue::nowhere, 32, 7}};
  auto carried = carry_over(profile, module_of(map, "new"));
  EXPECT_THAT(carried.profile.modules[0].data.calls, ElementsAre(11));
  EXPECT_THAT(carried.profile.edges, ElementsAre(Edge{0, 0, 0x105, 0x100, 1, 1}));
  EXPECT_THAT(carried.profile.values, ElementsAre(SiteValue{0, 0, 0, 0x100, 6},
                                                  SiteValue{0, 1, SiteValue::nowhere, 32, 7}));
  EXPECT_EQ(carried.values, 2);
}

}  // namespace
}  // namespace pgokit::instrument
