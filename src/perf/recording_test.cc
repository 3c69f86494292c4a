#include "perf/recording.h"

#include <gmock/gmock.h>

#include "perf/branch_counts.h"
#include "perf/programs.h"
#include "perf/summary.h"
#include "perf/test_recordings.h"

namespace pgokit::perf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace test;

std::string why_not(const Image& image) {
  auto recording = Recording::open(image);
  return recording ? "" : recording.error().message;
}

struct Read {
  TypeCounts types;
  std::vector<u64> ips;
  std::vector<u32> events;
  u64 branches = 0;
  ReadCounts counts;
};

Read read(const Recording& recording) {
  Read result;
  Sample sample;
  recording.for_each_piece(1, result.counts, [&](const Piece& piece, unsigned) {
    RecordWalk walk(piece.records);
    for (Record record; walk.next(record);) {
      result.types.add(record.type);
      if (record.type != RecordType::sample) continue;
      if (!recording.parser().sample(record, sample, result.counts)) continue;
      result.ips.push_back(sample.ip);
      result.events.push_back(sample.event);
      result.branches += sample.branches.size();
    }
  });
  return result;
}

TEST(Recording, RefusesOtherFiles) {
  auto text = [](std::string_view bytes) { return Image(bytes.begin(), bytes.end()); };
  EXPECT_EQ(why_not({}), "is not a perf.data file");
  EXPECT_EQ(why_not(text("PERFILE")), "is not a perf.data file");
  EXPECT_THAT(why_not(text("PERFFILE and so on")), HasSubstr("version 1"));
  EXPECT_THAT(why_not(text("2ELIFREP and so on")), HasSubstr("big-endian"));
  EXPECT_THAT(why_not(text("PERFILE2")), HasSubstr("damaged header"));
  EXPECT_FALSE(
      Recording::recognizes(text("\x7f"
                                 "ELF")));
  EXPECT_TRUE(Recording::recognizes(text("PERFILE2")));
}

TEST(Recording, RefusesDamagedHeaders) {
  Image good = branch_recording(3);
  auto changed = [&](size_t at, u64 value) {
    Image image = good;
    set(image, at, value);
    return why_not(image);
  };
  EXPECT_EQ(why_not(good), "");
  EXPECT_THAT(changed(8, 50), HasSubstr("it has 50 bytes"));
  EXPECT_THAT(changed(16, 40), HasSubstr("attribute has 40 bytes"));
  EXPECT_THAT(changed(attrs_section, u64(1) << 40), HasSubstr("table of events is outside"));
  EXPECT_THAT(changed(attrs_section + 8, ~u64(0)), HasSubstr("table of events is outside"));
  EXPECT_THAT(changed(attrs_section + 8, 8), HasSubstr("no event"));
  EXPECT_THAT(changed(data_section, u64(1) << 40), HasSubstr("records are outside"));
  Image pipe = as_pipe(good);
  pipe.resize(16);
  EXPECT_THAT(why_not(pipe), HasSubstr("no event"));
}

TEST(Recording, TellsFacts) {
  Image image = branch_recording(3);
  auto recording = Recording::open(image);
  ASSERT_TRUE(recording);
  EXPECT_FALSE(recording->is_pipe());
  EXPECT_FALSE(recording->is_compressed());
  EXPECT_FALSE(recording->header_damaged());
  EXPECT_TRUE(recording->ending().whole);
  ASSERT_EQ(recording->events().size(), 1U);
  const Event& event = recording->events()[0];
  EXPECT_EQ(event.name, "cycles:u");
  EXPECT_EQ(event.attr.period, 1000U);
  EXPECT_EQ(event.attr.size, 120U);
  EXPECT_EQ(event.attr.branch_sample_type, branch::user | branch::any);
  const Features& features = recording->features();
  EXPECT_EQ(features.hostname, "testhost");
  EXPECT_THAT(features.cmdline, ElementsAre("pgokit", "record"));
  EXPECT_EQ(features.first_time, 110U);
  EXPECT_EQ(features.last_time, 130U);
  ASSERT_EQ(features.build_ids.size(), 1U);
  EXPECT_EQ(features.build_ids[0].path, "/bin/app");
  EXPECT_EQ(features.build_ids[0].id.size(), 20U);
}

TEST(Recording, DecodesRecords) {
  Image image = recording({branch_event()}, [&](Writer& writer) {
    RecordId at{.pid = 7, .tid = 8, .time = 100, .id = 11};
    writer.comm(at, "app", true);
    writer.mmap({.pid = 7, .tid = 8, .time = 101}, {.start = 0x1000,
                                                    .size = 0x2000,
                                                    .file_offset = 0x3000,
                                                    .path = "/lib/x.so",
                                                    .protection = 1});
    const u8 id[] = {1, 2, 3, 4, 5, 6, 7, 8};
    writer.mmap2(at, {.start = 0x5000, .size = 0x10, .path = "/bin/app", .build_id = id});
    writer.fork({.pid = 9, .tid = 10, .time = 102}, 7, 8);
    writer.exit({.pid = 9, .tid = 10, .time = 103}, 7, 8);
    writer.lost(at, 5);
    writer.lost_samples(at, 6);
  });
  auto recording = Recording::open(image);
  ASSERT_TRUE(recording);
  std::vector<Record> records;
  recording->for_each_other([&](const Record& record) { records.push_back(record); });
  ASSERT_EQ(records.size(), 7U);
  const Parser& parser = recording->parser();
  ReadCounts counts;
  Comm comm;
  ASSERT_TRUE(parser.comm(records[0], comm, counts));
  EXPECT_EQ(comm.name, "app");
  EXPECT_TRUE(comm.exec);
  EXPECT_EQ(comm.by.time, 100U);
  EXPECT_EQ(comm.by.id, 11U);
  Mapping mapping;
  ASSERT_TRUE(parser.mapping(records[1], mapping, counts));
  EXPECT_EQ(mapping.path, "/lib/x.so");
  EXPECT_FALSE(mapping.executable);
  EXPECT_EQ(mapping.file_offset, 0x3000U);
  EXPECT_EQ(mapping.by.time, 101U);
  ASSERT_TRUE(parser.mapping(records[2], mapping, counts));
  EXPECT_TRUE(mapping.executable);
  EXPECT_THAT(mapping.build_id, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  Fork fork;
  ASSERT_TRUE(parser.fork(records[3], fork, counts));
  EXPECT_EQ(fork.pid, 9U);
  EXPECT_EQ(fork.parent_pid, 7U);
  EXPECT_EQ(fork.time, 102U);
  u64 lost;
  ASSERT_TRUE(parser.lost(records[5], lost, counts));
  EXPECT_EQ(lost, 5U);
  ASSERT_TRUE(parser.lost(records[6], lost, counts));
  EXPECT_EQ(lost, 6U);
  EXPECT_EQ(counts.truncated_records, 0U);
  // Too short for what they have to hold:
  records[1].body = records[1].body.first(34);
  EXPECT_FALSE(parser.mapping(records[1], mapping, counts));
  records[3].body = records[3].body.first(20);
  EXPECT_FALSE(parser.fork(records[3], fork, counts));
  EXPECT_EQ(counts.truncated_records, 2U);
}

TEST(Recording, PipeAndCompressedSayTheSame) {
  Image file = branch_recording(1000);
  auto recording = Recording::open(file);
  ASSERT_TRUE(recording);
  Read expected = read(*recording);
  ASSERT_EQ(expected.ips.size(), 1000U);
  Image pipe = as_pipe(file);
  for (const Image& image : {pipe, with_data(file, packed(data_of(file), 81, 777)),
                             with_data(file, packed(data_of(file), 83, 100)),
                             with_data(file, packed(data_of(file), 81, 60000))}) {
    auto other = Recording::open(image);
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_TRUE(other->ending().whole) << other->ending().why;
    Read got = read(*other);
    EXPECT_EQ(got.ips, expected.ips);
    EXPECT_EQ(got.branches, expected.branches);
    EXPECT_EQ(got.counts.unpack_failures, 0U);
    EXPECT_EQ(find_programs(*other, 2)[0].path, "/bin/app");
    size_t others = 0;
    other->for_each_other([&](const Record& record) {
      others += record.type == RecordType::comm || record.type == RecordType::mmap2;
    });
    EXPECT_EQ(others, 2U);
  }
  EXPECT_EQ(Recording::open(pipe)->features().hostname, "pipe");
}

TEST(Recording, CompressedAndDamaged) {
  Image file = branch_recording(100);
  Image data = packed(data_of(file), 81, 500);
  Image broken = data;
  broken[broken.size() / 2] ^= 0x55;
  auto image = with_data(file, broken);
  auto recording = Recording::open(image);
  ASSERT_TRUE(recording);
  EXPECT_LT(read(*recording).ips.size(), 101U);
  // The last piece is missing: a record is cut off.
  RecordWalk walk(data);
  u64 last = 0;
  for (Record record; walk.next(record);) last = record.offset;
  data.resize(last);
  image = with_data(file, data);
  recording = Recording::open(image);
  ASSERT_TRUE(recording);
  Read got = read(*recording);
  EXPECT_LT(got.ips.size(), 100U);
  EXPECT_GT(got.ips.size(), 80U);
  EXPECT_EQ(got.counts.truncated_records, 1U);
  // Zeros without end
  image = with_data(file, packed(Image(1 << 20), 81, 1 << 20));
  recording = Recording::open(image);
  ASSERT_TRUE(recording);
  EXPECT_EQ(read(*recording).counts.unpack_failures, 1U);
}

TEST(Recording, CutShortAnywhere) {
  Image file = branch_recording(5);
  auto data_at = value_at<u64>(file, data_section);
  auto data_end = data_at + value_at<u64>(file, data_section + 8);
  for (const Image& whole : {file, as_pipe(file)})
    for (size_t size = 0; size < whole.size(); ++size) {
      Image image(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      auto recording = Recording::open(image);
      if (!recording) continue;
      Read got = read(*recording);
      EXPECT_LE(got.ips.size(), 5U);
      EXPECT_EQ(got.counts.truncated_samples, 0U);
      if (recording->is_pipe() || size >= data_end) continue;
      EXPECT_FALSE(recording->ending().whole) << size;
      EXPECT_THAT(recording->ending().why, HasSubstr("cut short at offset"));
    }
}

TEST(Recording, UnfinishedAndDamaged) {
  Image file = branch_recording(5);
  Image unfinished(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(
                                                    value_at<u64>(file, data_section) +
                                                    value_at<u64>(file, data_section + 8)));
  set(unfinished, data_section + 8, u64(0));
  auto recording = Recording::open(unfinished);
  ASSERT_TRUE(recording);
  EXPECT_EQ(read(*recording).ips.size(), 5U);
  EXPECT_THAT(recording->ending().why, HasSubstr("did not finish"));

  Image data = data_of(file);
  Image zeros(64);
  data.insert(data.end(), zeros.begin(), zeros.end());
  Image image = with_data(file, data);
  recording = Recording::open(image);
  ASSERT_TRUE(recording);
  EXPECT_THAT(recording->ending().why, HasSubstr("impossible size"));
  EXPECT_EQ(recording->ending().trailing_bytes, 64U);
  EXPECT_EQ(read(*recording).ips.size(), 5U);
}

TEST(Recording, SkipsWhatItDoesNotKnow) {
  Image data = record(99, 0, Image(16));  // unknown
  add(data, record(40, 0, Image(8)));
  Image trace;  // AUXTRACE: its data is not part of the record's size
  add(trace, u64(24));
  trace.resize(40);
  add(data, record(71, 0, trace));
  data.resize(data.size() + 24, 0xee);
  Image tracing;  // the same of TRACING_DATA, in steps of 8
  add(tracing, u32(13));
  add(data, record(66, 0, tracing));
  data.resize(data.size() + 16, 0xee);
  Image inside;  // as simpleperf has it
  add(inside, u32(8));
  inside.resize(12, 0xee);
  add(data, record(66, 0, inside));
  Image large = record(32770, 1, Image(10));  // simpleperf: the size has 32 bits
  large.resize(65536 + 18);
  add(data, large);
  add(data, data_of(branch_recording(2)));
  Image image = with_data(branch_recording(0), data);
  auto recording = Recording::open(image);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->ending().whole) << recording->ending().why;
  Read got = read(*recording);
  EXPECT_EQ(got.ips.size(), 2U);
  EXPECT_EQ(got.types.unknown(), 2U);
  EXPECT_EQ(got.types.simpleperf(), 1U);
  EXPECT_EQ(got.types.of(RecordType::tracing_data), 2U);
  auto summary = summarize(*recording);
  EXPECT_EQ(summary.aux_bytes, 24U);
}

TEST(Recording, SamplesAreCountedByProcess) {
  Image image = recording({branch_event()}, [&](Writer& writer) {
    for (u32 pid : {9, 7, 8, 8, 7, 8})
      writer.sample({.id = RecordId{pid, pid, 10, 0, 11}, .ip = 0x1800});
  });
  auto opened = Recording::open(image);
  ASSERT_TRUE(opened);
  std::vector<std::pair<u32, u64>> found;
  for (const auto& process : summarize(*opened, 2).processes)
    found.emplace_back(process.pid, process.samples);
  EXPECT_EQ(found, (std::vector<std::pair<u32, u64>>{{8, 3}, {7, 2}, {9, 1}}));
}

TEST(Recording, FollowsProcesses) {
  Image image = recording({branch_event()}, [&](Writer& writer) {
    auto at = [](u32 pid, u64 time) { return RecordId{pid, pid, time, 0, 11}; };
    auto map = [&](u32 pid, u64 time, std::string_view path) {
      writer.mmap2(at(pid, time), {.start = 0x1000, .size = 0x1000, .path = path});
    };
    auto sample = [&](u32 pid, u64 time) { writer.sample({.id = at(pid, time), .ip = 0x1800}); };
    map(1, 10, "/old");
    sample(1, 11);
    sample(1, 21);  // out of order in the file
    map(1, 20, "/new");
    writer.fork(at(2, 30), 1, 1);
    sample(2, 31);  // the parent's
    writer.comm(at(2, 40), "exec", true);
    sample(2, 41);  // nothing yet
    map(2, 42, "/child");
    sample(2, 43);
    sample(1, 44);
  });
  auto recording = Recording::open(image);
  ASSERT_TRUE(recording);
  std::string text;
  for (const auto& program : find_programs(*recording))
    text += fmt::format("{} {}, ", program.path, program.samples);
  EXPECT_EQ(text, "/new 3, /child 1, /old 1, [unknown] 1, ");
}

// As many windows fall into a program that does little in each as into one that does much.
TEST(Recording, TellsSharesOfProgramsByCountedBranches) {
  std::array<u8, 20> id{0xab};
  BranchCounts counts;
  counts.scale = 4;
  counts.windows = Windows::of(3, 0.9);
  counts.files = {{"/lib/one.so", {}}, {"/bin/app", id}};
  counts.branches = {{{0, 0x10}, {0, 0x20}, 70}, {{1, 0x10}, {0, 0x10}, 20}, {{}, {1, 0}, 10}};
  auto encoded = encode(counts);
  auto write = [&](u64 samples) {
    return recording({branch_event()}, [&](Writer& writer) {
      writer.features().branch_counts = encoded;
      writer.mmap2({1, 1, 1, 0, 11},
                   {.start = 0x1000, .size = 0x1000, .path = "/bin/app", .build_id = id});
      for (u64 i = 0; i < samples; ++i) writer.sample({.id = {1, 1, 2, 0, 11}, .ip = 0x1800});
    });
  };
  auto shares = [&](const Image& image) {
    auto recording = Recording::open(image);
    auto programs = find_programs(*recording);
    Totals all;
    for (const auto& program : programs) all.add(program);
    std::string text;
    for (const auto& program : programs)
      text += fmt::format("{} {} {:.2f}, ", program.path, program.samples, all.share(program));
    return text;
  };
  EXPECT_EQ(shares(write(5)), "/lib/one.so 0 0.70, /bin/app 5 0.20, [unknown] 0 0.10, ");
  EXPECT_EQ(shares(write(0)), "/lib/one.so 17 0.70, /bin/app 5 0.20, [unknown] 2 0.10, ");
}

}  // namespace
}  // namespace pgokit::perf
