#include "record/hardware/perf_ring.h"

#include <gmock/gmock.h>

#include "test/support/replayed_recording.h"

namespace pgokit::record {
namespace {

using test::FedRing;
using test::RawRecord;

const std::string corpus = PGOKIT_SOURCE_DIR "/../shared/corpus/";

RawRecord record_of(size_t size, std::minstd_rand& random) {
  RawRecord record(size);
  for (auto& byte : record) byte = static_cast<u8>(random());
  perf_event_header header{PERF_RECORD_SAMPLE, 0, static_cast<u16>(size)};
  std::memcpy(record.data(), &header, sizeof header);
  return record;
}

// Portions of random size, of which the reader takes some at a time.
std::vector<RawRecord> through_ring(const std::vector<RawRecord>& records, u64 begin, u32 seed) {
  FedRing kernel(16, begin);
  auto ring = PerfRing::map(kernel.file(), 16);
  std::vector<RawRecord> read;
  if (!ring) return read;
  std::minstd_rand random(seed);
  for (size_t next = 0; next < records.size() || ring->has_records();) {
    for (size_t n = random() % 200; n > 0 && next < records.size(); --n, ++next)
      if (!kernel.write(records[next])) break;
    ring->drain([&](Bytes record) { read.emplace_back(record.begin(), record.end()); });
  }
  return read;
}

TEST(PerfRing, GivesWholeRecordsWhereverTheyLie) {
  std::minstd_rand random(1);
  std::vector<RawRecord> records;
  for (int i = 0; i < 3000; ++i) records.push_back(record_of(8 + 8 * (random() % 200), random));
  records.push_back(record_of(0xfff8, random));  // the longest: nearly all of the ring
  for (u64 begin : {u64{0}, u64{65536 - 8}, (u64{1} << 32) - 16, (u64{1} << 40) + 24})
    EXPECT_EQ(through_ring(records, begin, 2), records) << begin;
}

TEST(PerfRing, GivesBackTheBytesOfRealRecordings) {
  if (!std::filesystem::exists(corpus)) GTEST_SKIP() << "the corpus is not here: " << corpus;
  for (const char* name : {"google-autofdo/gzip_lbr/test.lbr",
                           "google-autofdo/propeller_sample_1/propeller_sample_1.perfdata1",
                           "KDAB-perfparser/vector_static_gcc/perf.lbr.data"}) {
    auto image = perf::test::read_image(corpus + name);
    ASSERT_FALSE(image.empty()) << name;
    auto records = test::split(perf::test::data_of(image));
    EXPECT_GT(records.size(), 20) << name;
    for (u32 seed : {1, 2, 3}) EXPECT_EQ(through_ring(records, 8 * seed, seed), records) << name;
  }
}

TEST(PerfRing, LeavesOutWhatNoKernelWrites) {
  for (u16 size : {u16{0}, u16{7}, u16{4096}}) {
    FedRing kernel(1);
    auto ring = PerfRing::map(kernel.file(), 1);
    ASSERT_TRUE(ring);
    RawRecord record(64);
    perf_event_header header{PERF_RECORD_SAMPLE, 0, size};
    std::memcpy(record.data(), &header, sizeof header);
    ASSERT_TRUE(kernel.write(record));
    size_t n = 0;
    ring->drain([&](Bytes) { ++n; });
    EXPECT_EQ(n, 0) << size;
    EXPECT_FALSE(ring->has_records()) << size;
  }
}

TEST(PerfRing, IsNotThereWhereTheKernelHasNoRoom) { EXPECT_FALSE(PerfRing::map(-1, 1)); }

}  // namespace
}  // namespace pgokit::record
