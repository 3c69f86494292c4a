#include "samples/program_maps.h"

#include <gtest/gtest.h>

#include "base/cursor.h"
#include "test/support/elf_builder.h"

namespace pgokit::samples {
namespace {

// Code of 0x2000 bytes at offset 0x1000, linked at 0x401000.
class ProgramMapsTest : public testing::Test {
 protected:
  test::ElfBuilder builder_;
  std::string image_ = builder_.segment(PF_R, 0, 0x400000, 0x1000)
                           .segment(PF_R | PF_X, 0x1000, 0x401000, 0x2000)
                           .image();
  object::File file_ = *object::File::parse(as_bytes(image_));
  ProgramMaps maps_{file_};

  u64 at(u32 pid, u64 time, u64 address) {
    ProgramMaps::Lookup lookup(maps_);
    return lookup.enter(pid, time) ? lookup.translate({address}).value : 0;
  }
};

TEST_F(ProgramMapsTest, NothingIsKnownBeforeTheMapping) {
  EXPECT_TRUE(maps_.map(7, 10, {0x555501000, 0x2000, 0x1000}, true));
  EXPECT_EQ(at(7, 9, 0x555501000), 0u);
  EXPECT_EQ(at(8, 10, 0x555501000), 0u);
  EXPECT_EQ(at(7, 10, 0x555501000), 0x401000u);
  EXPECT_EQ(at(7, 99, 0x555502fff), 0x402fffu);
  EXPECT_EQ(at(7, 99, 0x555503000), external.value);
  EXPECT_EQ(at(7, 99, 0x555500fff), external.value);
}

TEST_F(ProgramMapsTest, MappingsWithoutCodeAreTold) {
  EXPECT_FALSE(maps_.map(7, 10, {0x555500000, 0x1000, 0}, true));
  EXPECT_FALSE(maps_.map(7, 10, {~u64{0}, 0x1000, 0x1000}, true));
  EXPECT_TRUE(maps_.map(7, 10, {0x555500000, 0x1000, 0}, false));
  EXPECT_TRUE(maps_.empty());
}

// Code that begins in the middle of a page of 64 KiB.
TEST(ProgramMapsOfLargePages, BeginInFrontOfTheCode) {
  auto image = test::ElfBuilder()
                   .type(ET_DYN)
                   .segment(PF_R, 0, 0, 0x13a00)
                   .segment(PF_R | PF_X, 0x13adc, 0x23adc, 0x8000)
                   .image();
  ProgramMaps maps(*object::File::parse(as_bytes(image)));
  EXPECT_FALSE(maps.map(7, 10, {0xaaaa00000000, 0x10000, 0}, true));
  EXPECT_TRUE(maps.map(7, 10, {0xaaaa00010000, 0x10000, 0x10000}, true));
  ProgramMaps::Lookup lookup(maps);
  ASSERT_TRUE(lookup.enter(7, 10));
  EXPECT_EQ(lookup.translate({0xaaaa00013adc}).value, 0x23adcu);
  EXPECT_EQ(lookup.translate({0xaaaa0001ffff}).value, 0x2ffffu);
  EXPECT_EQ(lookup.translate({0xaaaa00020000}), external);
}

// Two segments in one page of the file: which one a mapping is, its distance to the other tells.
TEST(ProgramMapsOfLargePages, OfTwoSegmentsInAPageBothAreFound) {
  for (u16 type : {u16{ET_DYN}, u16{ET_EXEC}}) {
    auto image = test::ElfBuilder()
                     .type(type)
                     .segment(PF_R | PF_X, 0x1000, 0x11000, 0x800)
                     .segment(PF_R | PF_X, 0x1800, 0x31800, 0x800)
                     .image();
    ProgramMaps maps(*object::File::parse(as_bytes(image)));
    u64 base = type == ET_DYN ? 0xaaaa00000000 : 0;
    EXPECT_TRUE(maps.map(7, 10, {base + 0x10000, 0x10000, 0}, true));
    EXPECT_TRUE(maps.map(7, 10, {base + 0x30000, 0x10000, 0}, true));
    EXPECT_TRUE(maps.map(8, 10, {base + 0x30000, 0x10000, 0}, true));
    ProgramMaps::Lookup lookup(maps);
    ASSERT_TRUE(lookup.enter(7, 10));
    EXPECT_EQ(lookup.translate({base + 0x11004}).value, 0x11004u);
    EXPECT_EQ(lookup.translate({base + 0x31804}).value, 0x31804u);
    // Alone, the mapping tells nothing where the program can be anywhere.
    ASSERT_TRUE(lookup.enter(8, 10));
    EXPECT_EQ(lookup.translate({base + 0x31804}).value, type == ET_EXEC ? 0x31804u : 0x11804u);
  }
}

TEST_F(ProgramMapsTest, ForkInheritsAndExecDrops) {
  maps_.map(7, 10, {0x10000, 0x2000, 0x1000}, true);
  maps_.fork(8, 7, 20);
  maps_.fork(7, 7, 21);
  maps_.exec(7, 30);
  maps_.map(7, 40, {0x90000, 0x2000, 0x1000}, true);
  EXPECT_EQ(at(8, 19, 0x10000), 0u);
  EXPECT_EQ(at(8, 50, 0x10000), 0x401000u);
  EXPECT_EQ(at(7, 29, 0x10000), 0x401000u);
  EXPECT_EQ(at(7, 35, 0x10000), 0u);
  EXPECT_EQ(at(7, 40, 0x90000), 0x401000u);
  EXPECT_EQ(maps_.pids(), (std::vector<u32>{7, 8}));
}

TEST_F(ProgramMapsTest, APidUsedAgainStartsWithItsParentsMappings) {
  maps_.map(7, 10, {0x10000, 0x2000, 0x1000}, true);
  maps_.fork(7, 3, 20);
  EXPECT_EQ(at(7, 20, 0x10000), 0u);
}

TEST_F(ProgramMapsTest, AnotherMappingTakesWhatItCovers) {
  maps_.map(7, 10, {0x10000, 0x2000, 0x1000}, true);
  maps_.map(7, 20, {0x10800, 0x800, 0}, false);
  EXPECT_EQ(at(7, 19, 0x10800), 0x401800u);
  EXPECT_EQ(at(7, 20, 0x10000), 0x401000u);
  EXPECT_EQ(at(7, 20, 0x10800), external.value);
  EXPECT_EQ(at(7, 20, 0x11000), 0x402000u);
}

TEST_F(ProgramMapsTest, OneLookupMayJumpBetweenProcessesAndTimes) {
  maps_.map(7, 10, {0x10000, 0x2000, 0x1000}, true);
  maps_.map(8, 15, {0x20000, 0x2000, 0x1000}, true);
  ProgramMaps::Lookup lookup(maps_);
  EXPECT_TRUE(lookup.enter(7, 12));
  EXPECT_FALSE(lookup.enter(8, 12));
  EXPECT_TRUE(lookup.enter(8, 16));
  EXPECT_EQ(lookup.translate({0x20010}).value, 0x401010u);
  EXPECT_FALSE(lookup.enter(7, 3));
}

TEST_F(ProgramMapsTest, EndlessMappingsTakeBoundedMemory) {
  for (u64 i = 0; i < 10'000; ++i) maps_.map(7, i, {i * 0x10000, 0x2000, 0x1000}, true);
  EXPECT_EQ(at(7, 10'000, 9'999 * 0x10000), 0x401000u);
}

}  // namespace
}  // namespace pgokit::samples
