#include "instrument/dump.h"

#include <gmock/gmock.h>

#include "test/support/mip_builder.h"

namespace pgokit::instrument {
namespace {

using test::DumpBuilder;
using testing::HasSubstr;

DumpBuilder builder() { return {.build_id = "\x12\x34", .raw = test::MapBuilder::raw({"abc"})}; }

struct Read {
  std::vector<u32> pids;
  DumpFacts facts;
};

Read read(const std::string& bytes) {
  Read result;
  DumpReader reader(as_bytes(bytes));
  while (auto dump = reader.next()) result.pids.push_back(dump->header.pid);
  result.facts = reader.facts();
  return result;
}

TEST(Dump, ReadsRecordsOneBehindTheOther) {
  auto first = builder(), second = builder();
  first.edges = {{0x10, 0x20, 3}};
  second.pid = 2;
  std::string bytes = first.record() + second.record();
  EXPECT_TRUE(DumpReader::recognizes(as_bytes(bytes)));
  DumpReader reader(as_bytes(bytes));
  auto dump = reader.next();
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->build_id, "\x12\x34");
  EXPECT_EQ(dump->path, "/bin/app");
  EXPECT_TRUE(as_text(dump->raw).ends_with("abc"));
  ASSERT_EQ(dump->edges.size(), 1);
  EXPECT_EQ(dump->edges[0].samples, 3);
  dump = reader.next();
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->header.pid, 2);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.facts().records, 2);
  EXPECT_EQ(reader.facts().damaged, 0);
}

TEST(Dump, SkipsDamagedRecords) {
  auto other = builder();
  other.pid = 2;
  std::string good = builder().record(), bad = good;
  bad[bad.size() - 40] ^= 1;
  auto got = read(bad + other.record());
  EXPECT_THAT(got.pids, testing::ElementsAre(2));
  EXPECT_EQ(got.facts.damaged, 1);
  EXPECT_THAT(got.facts.first_damage, HasSubstr("checksum"));

  got = read(good + good.substr(0, good.size() - 8));
  EXPECT_EQ(got.pids.size(), 1);
  EXPECT_THAT(got.facts.first_damage, HasSubstr("cut short"));

  got = read("rubbish" + good);
  EXPECT_EQ(got.pids.size(), 1);
  EXPECT_THAT(got.facts.first_damage, HasSubstr("no record begins here"));

  got = read(good.substr(0, 100));
  EXPECT_THAT(got.facts.first_damage, HasSubstr("within the header"));
}

TEST(Dump, DoesNotCheckContinuousFiles) {
  auto continuous = builder();
  continuous.flags = MIP_DUMP_CONTINUOUS;
  std::string bytes = continuous.record();
  bytes[bytes.size() - 40] ^= 1;
  EXPECT_EQ(read(bytes).pids.size(), 1);
}

TEST(Dump, RefusesOtherVersions) {
  std::string bytes = builder().record();
  bytes[9] = 2;
  EXPECT_THAT(read(bytes).facts.first_damage, HasSubstr("version 0x200"));
}

// Each of these records claims all the rest of the file.
TEST(Dump, TakesNoLongForOverlappingRecords) {
  std::string one = builder().record().substr(0, sizeof(mip_dump)), bytes;
  for (int i = 0; i < 2000; ++i) bytes += one;
  for (size_t i = 0; i < 2000; ++i) {
    u64 size = bytes.size() - i * one.size();
    std::memcpy(bytes.data() + i * one.size() + offsetof(mip_dump, total_size), &size, 8);
  }
  auto got = read(bytes);
  EXPECT_EQ(got.facts.records, 0);
  EXPECT_EQ(got.facts.damaged, 2000);
}

}  // namespace
}  // namespace pgokit::instrument
