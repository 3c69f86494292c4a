#include "instrument/map.h"

#include <gmock/gmock.h>

#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using test::MapBuilder;
using testing::HasSubstr;

std::string error_of(const std::string& bytes) {
  auto read = read_map("app", as_bytes(bytes));
  return read ? "" : read.error().message;
}

Result<ReadMap> read(const MapBuilder& map) { return read_map_section(as_bytes(map.section())); }

TEST(Map, ReadsFunctionsOfAProgram) {
  MapBuilder map;
  map.function({.name = "late", .address = 0x2000, .size = 8, .kinds = MIP_CALLS64});
  map.bytes(std::string(5, '\0')).bytes(MapBuilder::header(MIP_TYPE_MAP));
  map.function({.name = "main", .address = 0x1000, .kinds = MIP_COVERAGE});
  auto read = read_map("dir/app", as_bytes(map.program("\x12\x34")));
  ASSERT_TRUE(read) << read.error().message;
  const auto& module = read->module;
  EXPECT_EQ(module.build_id, "\x12\x34");
  EXPECT_EQ(module.machine, EM_X86_64);
  EXPECT_EQ(module.raw_address, MapBuilder::raw_address);
  EXPECT_EQ(display_name(module), "app");
  ASSERT_EQ(module.functions.size(), 2);
  EXPECT_EQ(module.name(module.functions[0]), "main");
  EXPECT_EQ(module.functions[0].box, 32);
  EXPECT_EQ(module.name(module.functions[1]), "late");
  EXPECT_EQ(module.functions[1].size, 8);
  EXPECT_EQ(module.data.calls.size(), 2);
  EXPECT_EQ(read->facts.damaged, 0);
  EXPECT_EQ(module.find(0x1003)->address, 0x1000);
  EXPECT_EQ(module.find(0x1010), nullptr);
  EXPECT_EQ(module.find(0x2007)->address, 0x2000);
}

TEST(Map, ReadsBlocks) {
  MapBuilder map;
  map.function({.name = "f",
                .address = 0x1000,
                .size = 20,
                .kinds = MIP_BLOCKS64,
                .flags = MIP_MINIMAL_BLOCKS,
                .counters = 1,
                .blocks = {{0, 0, {1}}, {4, MIP_FROM_FLOW, {1, 2}}, {12, MIP_FROM_FLOW, {}}}});
  auto got = read(map);
  ASSERT_TRUE(got) << got.error().message;
  const auto& module = got->module;
  const auto& f = module.functions[0];
  ASSERT_EQ(module.blocks_of(f).size(), 3);
  EXPECT_EQ(module.blocks_of(f)[1].address, 0x1004);
  EXPECT_THAT(module.successors_of(module.blocks_of(f)[1]), testing::ElementsAre(1, 2));
  EXPECT_EQ(module.block_end(f, 0), 0x1004);
  EXPECT_EQ(module.block_end(f, 2), 0x1014);
}

// As in Mach-O: every address counts from the record, and the file tells where the sections lie.
TEST(Map, ReadsRelativeRecords) {
  constexpr u64 map = 0x4000, at = 24;
  const test::MapFunction function{.name = "f",
                                   .address = 0x1000,
                                   .kinds = MIP_BLOCKS64 | MIP_TARGETS,
                                   .counters = 1,
                                   .blocks = {{0, 0, {1}}, {4, MIP_FROM_FLOW, {}}},
                                   .sites = {{.address = 0x1006}},
                                   .counts_from = map + at};
  const std::string section = MapBuilder::header(MIP_TYPE_MAP, MIP_VERSION_RELATIVE) +
                              MapBuilder::record(function, MapBuilder::raw_address + 32);
  auto got = read_map_section(as_bytes(section), MapPlace{map, MapBuilder::raw_address});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->facts.damaged, 0) << got->facts.first_damage;
  const auto& module = got->module;
  EXPECT_EQ(module.raw_address, MapBuilder::raw_address);
  ASSERT_EQ(module.functions.size(), 1);
  const auto& f = module.functions[0];
  EXPECT_EQ(std::tuple(f.address, f.box, f.flags), std::tuple(0x1000, 32, u32{MIP_BLOCK_LIST}));
  EXPECT_EQ(module.blocks_of(f)[1].address, 0x1004);
  EXPECT_EQ(module.sites[0].address, 0x1006);
  EXPECT_EQ(module.sites[0].raw, 40);
  EXPECT_THAT(error_of(section), HasSubstr("give the program"));
  EXPECT_THAT(error_of(MapBuilder::header(MIP_TYPE_MAP, 0x300)), HasSubstr("version 0x300"));
}

TEST(Map, SkipsFunctionsThatTheLinkerDropped) {
  MapBuilder map;
  map.function({.name = "gone", .address = 0}).function({.name = "here", .address = 0x10});
  auto got = read(map);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->module.functions.size(), 1);
  EXPECT_EQ(got->facts.dropped_by_linker, 1);
  MapBuilder none;
  none.function({.name = "gone", .address = 0});
  EXPECT_THAT(error_of(none.section()), HasSubstr("the linker dropped all 1"));
}

TEST(Map, ReadsNumbersOfSites) {
  const test::MapFunction function{
      .name = "f",
      .address = 0x10,
      .kinds = MIP_TARGETS,
      .sites = {{.address = 0x12, .number = 2}, {.address = 0x14}, {.address = 0x16, .number = 1}},
      .source = "a.c;f"};
  auto got = read(MapBuilder().function(function));
  ASSERT_TRUE(got) << got.error().message;
  const auto& sites = got->module.sites;
  ASSERT_EQ(sites.size(), 3);
  EXPECT_EQ(std::tuple(sites[0].number, sites[1].number, sites[2].number), std::tuple(2, 0, 1));
  EXPECT_EQ(got->module.source_name(sites[0]), "a.c;f");

  std::string record = MapBuilder::record(function, MapBuilder::raw_address + 24);
  u32 size = static_cast<u32>(record.size()) - 1;
  std::memcpy(record.data() + offsetof(mip_function, record_size), &size, sizeof size);
  EXPECT_THAT(error_of(MapBuilder::header(MIP_TYPE_MAP) + record.substr(0, size)),
              HasSubstr("the numbers of sites are cut off"));
}

TEST(Map, KnowsFunctionsAsTheSourceDoes) {
  MapBuilder map;
  map.checksum("b.c;f", 7).checksum("a.c;f", 5).checksum("a.c;f", 5).checksum("two", 1);
  map.function({.name = "f.llvm.12",
                .address = 0x10,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x12}, {.address = 0x14, .function = "b.c;f"}},
                .source = "a.c;f"});
  map.function(
      {.name = "main", .address = 0x20, .kinds = MIP_TARGETS, .sites = {{.address = 0x22}}});
  map.checksum("two", 2);
  auto got = read(map);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->facts.damaged, 0) << got->facts.first_damage;
  EXPECT_EQ(got->facts.dropped_by_linker, 0);
  const auto& module = got->module;
  ASSERT_EQ(module.sites.size(), 3);
  EXPECT_EQ(module.source_name(module.sites[0]), "a.c;f");
  EXPECT_EQ(module.name(module.sites[0]), "f.llvm.12");
  EXPECT_EQ(module.source_name(module.sites[1]), "b.c;f");
  EXPECT_EQ(module.name(module.sites[1]), "f");
  EXPECT_EQ(module.source_name(module.sites[2]), "main");
  EXPECT_EQ(module.checksum("a.c;f"), 5);
  EXPECT_EQ(module.checksum("b.c;f"), 7);
  EXPECT_EQ(module.checksum("two"), 0) << "two definitions";
  EXPECT_EQ(module.checksum("main"), 0);
}

TEST(Map, TellsTheChecksumsOfFunctionsWithCode) {
  MapBuilder map;
  map.function({.name = "f.llvm.7", .address = 0x10, .checksum = 5});
  map.function({.name = "g", .address = 0x20, .source = "a.c;g", .checksum = 6});
  map.function({.name = "h",
                .address = 0x30,
                .kinds = MIP_TARGETS,
                .sites = {{.address = 0x31, .number = 1}},
                .checksum = 7});
  map.function({.name = "i", .address = 0x40});
  auto got = read(map);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->facts.damaged, 0);
  EXPECT_EQ(got->module.checksum("f"), 5);
  EXPECT_EQ(got->module.checksum("a.c;g"), 6);
  EXPECT_EQ(got->module.checksum("h"), 7);
  EXPECT_EQ(got->module.checksum("i"), 0);
  auto cut = MapBuilder::record({.name = "f", .address = 0x10, .checksum = 5}, 0x8018);
  cut.resize(cut.size() - 1);
  cut[4] = static_cast<char>(cut.size());
  got = read(MapBuilder().bytes(cut).function({.name = "g", .address = 0x30}));
  ASSERT_TRUE(got);
  EXPECT_THAT(got->facts.first_damage, HasSubstr("a function's checksum is cut off"));
}

TEST(Map, SkipsNamesInTheSourceThatAreCutOff) {
  for (u32 length : {2u, 9u, ~0u}) {
    std::string cut = MapBuilder::record({.name = "f", .address = 0x10, .source = "x"}, 0x8018);
    std::memcpy(cut.data() + cut.size() - 5, &length, sizeof length);
    auto got = read(MapBuilder().bytes(cut).function({.name = "g", .address = 0x30}));
    ASSERT_TRUE(got);
    EXPECT_THAT(got->facts.first_damage, HasSubstr("name in the source is cut off"));
  }
  auto sum = MapBuilder().checksum("f", 0x1122334455667788).section().substr(24);
  sum[4] = 66;  // without room for the checksum
  auto got = read(MapBuilder().bytes(sum).function({.name = "g", .address = 0x30}));
  ASSERT_TRUE(got);
  EXPECT_THAT(got->facts.first_damage, HasSubstr("a checksum is cut off"));
}

TEST(Map, SkipsDamagedRecords) {
  MapBuilder map;
  map.function({.name = "a", .address = 0x10}).bytes("rubbish");
  map.function({.name = "bad", .address = 0x20, .kinds = 0x8000});
  map.function({.name = "b", .address = 0x30});
  map.function({.name = "counters", .address = 0x40, .kinds = MIP_BLOCKS64, .counters = 7});
  map.function({.name = "c", .address = 0x50});
  map.bytes(MapBuilder::record({.name = "cut", .address = 0x60}, 0x9000).substr(0, 66));
  auto got = read(map);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->module.functions.size(), 3);
  EXPECT_EQ(got->facts.damaged, 4);
  EXPECT_THAT(got->facts.first_damage, HasSubstr("no record begins here"));
}

TEST(Map, RefusesBlocksThatMakeNoSense) {
  auto damaged = [](test::MapFunction f) {
    f.name = "f", f.address = 0x10, f.size = 8, f.kinds = MIP_BLOCKS64;
    return error_of(MapBuilder().function(f).section());
  };
  EXPECT_THAT(damaged({.counters = 1, .blocks = {{0, 1}}}), HasSubstr("past the function's last"));
  EXPECT_THAT(damaged({.counters = 1, .blocks = {{0, 0, {1}}}}), HasSubstr("a successor is past"));
  EXPECT_THAT(damaged({.counters = 1, .blocks = {{9, 0}}}), HasSubstr("behind its function"));
  EXPECT_THAT(damaged({.counters = 2, .blocks = {{0, 0}}}), HasSubstr("more counters than blocks"));
}

// Modules repeat tables that they share; those that were dropped have no address.
TEST(Map, ReadsTablesOfFunctions) {
  MapBuilder map;
  map.table("_ZTV1B", 0x9000, 40).function({.name = "f", .address = 0x10});
  map.table("a.cc;table", 0x8000, 16).table("gone", 0, 16).table("_ZTV1B", 0x9000, 40);
  auto read = read_map_section(as_bytes(map.section()));
  ASSERT_TRUE(read) << read.error().message;
  const auto& module = read->module;
  EXPECT_EQ(read->facts.damaged, 0);
  EXPECT_EQ(module.functions.size(), 1);
  ASSERT_EQ(module.tables.size(), 2);
  EXPECT_EQ(module.name(module.tables[0]), "a.cc;table");
  EXPECT_EQ(module.name(module.tables[1]), "_ZTV1B");
  EXPECT_EQ(module.find_table(0x7fff), nullptr);
  EXPECT_EQ(module.find_table(0x800f), &module.tables[0]);
  EXPECT_EQ(module.find_table(0x8010), nullptr);
  EXPECT_EQ(module.find_table(0x9010), &module.tables[1]);
}

TEST(Map, SkipsDamagedTables) {
  MapBuilder map;
  map.function({.name = "f", .address = 0x10}).table("endless", 0x8000, ~u64{0});
  auto section = map.section();
  map.table("cut", 0x9000, 8);
  auto cut = map.section();
  const size_t name_size = section.size() + offsetof(mip_function, name_size);
  cut[name_size] = 4;  // of a record that has room for 3
  for (const auto& bytes : {section, cut}) {
    auto read = read_map_section(as_bytes(bytes));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_GT(read->facts.damaged, 0);
    EXPECT_TRUE(read->module.tables.empty());
  }
}

TEST(Map, SaysWhatIsWrongWithOtherFiles) {
  EXPECT_THAT(error_of(""), HasSubstr("it is empty"));
  EXPECT_THAT(error_of("hello"), HasSubstr("neither a program nor a map"));
  EXPECT_THAT(error_of(test::ElfBuilder().image()), HasSubstr("it is not instrumented"));
  EXPECT_THAT(error_of(test::ElfBuilder().section(MIP_RAW_SECTION, "x").image()),
              HasSubstr("was taken away"));
  EXPECT_THAT(error_of(MapBuilder().section()), HasSubstr("nothing was selected"));
  EXPECT_THAT(error_of(test::ElfBuilder().section(MIP_MAP_SECTION, "x").image()),
              HasSubstr("the map is damaged"));
  auto newer = MapBuilder::header(MIP_TYPE_MAP);
  newer[5] = 9;
  EXPECT_THAT(error_of(newer), HasSubstr("version 0x906"));
  std::string object =
      test::ElfBuilder().type(ET_REL).section(MIP_MAP_SECTION, MapBuilder().section()).image();
  EXPECT_THAT(error_of(object), HasSubstr("object file"));
}

}  // namespace
}  // namespace pgokit::instrument
