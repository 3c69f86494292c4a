#include "instrument/profile_file.h"

#include <gmock/gmock.h>

#include "instrument/map.h"
#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using testing::HasSubstr;

Profile example() {
  test::MapBuilder map;
  map.function({.name = "f",
                .address = 0x1000,
                .kinds = MIP_BLOCKS64 | MIP_ORDER,
                .counters = 2,
                .blocks = {{0, 0, {1}}, {4, 1, {}}}});
  map.function({.name = "g", .address = 0x500, .source = "a.c;g"}).checksum("a.c;h", 9);
  map.table("_ZTV1A", 0x9000, 40).table("a.c;table", 0x8000, 16);
  auto read = read_map("dir/app", as_bytes(map.program("\x01\x02")));
  EXPECT_TRUE(read) << read.error().message;
  auto& module = read->module;
  module.data.dumps = 2;
  module.data.dropped[MIP_DROPPED_EDGES] = 9;
  module.data.ran = {1, 2};
  module.data.first[1] = {2, 7, 1000};
  module.data.executions = {5, 6};
  Profile profile;
  profile.modules.push_back(std::move(module));
  profile.edges.push_back({0, 0, 0x1005, 0x500, 3, 300});
  return profile;
}

TEST(ProfileFile, KeepsEverything) {
  auto profile = example();
  auto read = read_profile(as_bytes(write_profile(profile)));
  ASSERT_TRUE(read) << read.error().message;
  const auto &got = read->modules[0], &wanted = profile.modules[0];
  EXPECT_EQ(got.build_id, wanted.build_id);
  EXPECT_EQ(got.path, "dir/app");
  EXPECT_EQ(got.machine, EM_X86_64);
  EXPECT_EQ(got.raw_address, wanted.raw_address);
  EXPECT_EQ(got.data, wanted.data);
  EXPECT_EQ(got.blocks, wanted.blocks);
  EXPECT_EQ(got.successors, wanted.successors);
  ASSERT_EQ(got.functions.size(), 2);
  EXPECT_EQ(got.name(got.functions[1]), "f");
  EXPECT_EQ(got.functions[1].box, wanted.functions[1].box);
  EXPECT_EQ(read->edges, profile.edges);
  EXPECT_EQ(got.sources, wanted.sources);
  EXPECT_EQ(got.checksum("a.c;h"), 9);
  EXPECT_EQ(got.source_name(got.functions[0]), "a.c;g");
  EXPECT_EQ(got.source_name(got.functions[1]), "f");
  ASSERT_EQ(got.tables.size(), 2);
  EXPECT_EQ(got.name(*got.find_table(0x8008)), "a.c;table");
  EXPECT_EQ(got.name(*got.find_table(0x9010)), "_ZTV1A");
}

TEST(ProfileFile, RefusesTablesThatMakeNoSense) {
  auto profile = example();
  auto& tables = profile.modules[0].tables;
  std::swap(tables[0], tables[1]);
  EXPECT_THAT(read_profile(as_bytes(write_profile(profile))).error().message,
              HasSubstr("tables of functions are not in order"));
  std::swap(tables[0], tables[1]);
  tables[1].size = ~u64{0};
  EXPECT_FALSE(read_profile(as_bytes(write_profile(profile))));
}

TEST(ProfileFile, RefusesDamage) {
  std::string bytes = write_profile(example());
  EXPECT_TRUE(is_profile(as_bytes(bytes)));
  bytes[100] ^= 1;
  EXPECT_THAT(read_profile(as_bytes(bytes)).error().message, HasSubstr("checksum"));
  EXPECT_THAT(read_profile(as_bytes("rubbish")).error().message,
              HasSubstr("not an instrumented profile"));
  std::string newer = write_profile(example());
  newer[9] = 7;
  EXPECT_THAT(read_profile(as_bytes(newer)).error().message, HasSubstr("version 0x703"));
}

// Whatever byte is wrong, with a checksum that is right: an error or a profile, no crash.
TEST(ProfileFile, SurvivesEveryChangedByte) {
  const std::string good = write_profile(example());
  for (size_t at = 16; at < good.size(); ++at)
    for (int change : {1, 127, 128}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      u32 crc = profile_crc(as_bytes(bytes));
      std::memcpy(bytes.data() + profile_crc_offset, &crc, sizeof crc);
      if (auto read = read_profile(as_bytes(bytes))) write_profile(*read);
    }
}

}  // namespace
}  // namespace pgokit::instrument
