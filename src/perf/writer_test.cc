#include "perf/writer.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "perf/recording.h"
#include "perf/test_recordings.h"
#include "perf/test_tools.h"

namespace pgokit::perf {
namespace {

using test::have;
using test::Image;
using test::output_of;
using test::read_image;
using ::testing::HasSubstr;

// A name in the test's temporary folder, removed at the end.
struct TemporaryFile {
  std::string path = fmt::format("{}pgokit-{}-{}", ::testing::TempDir(), getpid(),
                                 ::testing::UnitTest::GetInstance()->current_test_info()->name());
  ~TemporaryFile() { ::unlink(path.c_str()); }
};

size_t count(std::string_view text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

Writer::Event branch_event(u64 id) {
  Writer::Event event;
  event.name = "cycles:u";
  event.attr.sample_type = field::ip | field::tid | field::time | field::period | field::callchain |
                           field::branch_stack | field::identifier;
  event.attr.branch_sample_type = branch::user | branch::any;
  event.attr.period = 1000;
  event.attr.flags = attr_flag::sample_id_all | attr_flag::mmap | attr_flag::mmap2 |
                     attr_flag::comm | attr_flag::exclude_kernel;
  event.ids = {id};
  return event;
}

Status write_recording(const std::string& path, size_t samples, u32 attr_size, bool id_in_record) {
  std::array<u8, 20> build_id;
  build_id.fill(0xab);
  auto writer = TRY(Writer::create(path, {branch_event(11), branch_event(12)}, attr_size));
  RecordId at{.pid = 7, .tid = 7, .time = 100, .cpu = 0, .id = 11};
  writer.comm(at, "app", true);
  Writer::Mapping mapping{.start = 0x400000, .size = 0x2000, .path = "/bin/pgokit-test-app"};
  if (id_in_record) mapping.build_id = build_id;
  writer.mmap2(at, mapping);
  const u64 chain[] = {u64(-512), 0x401000, 0x401200};
  const BranchEntry branches[] = {{0x401100, 0x401000, 2}, {0x401080, 0x401040, 1}};
  for (size_t i = 0; i < samples; ++i) {
    at.time += 10;
    at.id = i % 2 ? 11 : 12;
    writer.sample(
        {.id = at, .ip = 0x401000, .event = i % 2, .callchain = chain, .branches = branches});
  }
  writer.lost(at, 3);
  writer.lost_samples(at, 4);
  writer.finished_round();
  writer.fork({.pid = 8, .tid = 8, .time = at.time, .id = 11}, 7, 7);
  writer.exit(at, 1, 1);
  auto& features = writer.features();
  features.hostname = "testhost";
  features.osrelease = "6.1";
  features.version = "1";
  features.arch = "x86_64";
  features.cpudesc = "some cpu";
  features.cpuid = "AuthenticAMD,1,2,3";
  features.cpus_online = 2;
  features.cpus_available = 4;
  features.total_mem_kb = 4096;
  features.cmdline = {"pgokit", "record"};
  features.build_ids = {{"/bin/pgokit-test-app", {build_id.begin(), build_id.end()}},
                        {"/lib/short.so", {build_id.begin(), build_id.begin() + 8}}};
  return writer.commit();
}

TEST(Writer, PerfReadsWhatItWrites) {
  if (!have("perf")) GTEST_SKIP() << "perf is not installed";
  TemporaryFile file;
  for (u32 attr_size : {112U, 120U}) {
    ASSERT_TRUE(write_recording(file.path, 5, attr_size, attr_size == 120));
    std::string dump = output_of("perf report -D -i " + file.path);
    EXPECT_EQ(count(dump, ": PERF_RECORD_SAMPLE"), 5) << dump;
    EXPECT_EQ(count(dump, ": PERF_RECORD_MMAP2"), 1);
    EXPECT_EQ(count(dump, ": PERF_RECORD_COMM exec"), 1);
    EXPECT_EQ(count(dump, "branch stack: nr:2"), 5);
    EXPECT_EQ(count(dump, "FP chain: nr:3"), 5);
    EXPECT_EQ(count(dump, "PERF_RECORD_FORK(8:8):(7:7)"), 1);
    EXPECT_EQ(count(dump, "PERF_RECORD_EXIT(7:7):(1:1)"), 1);
    EXPECT_EQ(count(dump, "PERF_RECORD_LOST"), 2);
    EXPECT_EQ(count(dump, "PERF_RECORD_FINISHED_ROUND"), 1);
  }
}

TEST(Writer, PerfScriptPrintsItsBranches) {
  if (!have("perf")) GTEST_SKIP() << "perf is not installed";
  TemporaryFile file;
  ASSERT_TRUE(write_recording(file.path, 2, 120, false));
  std::string text = output_of("perf script --show-mmap-events -F ip,brstack -i " + file.path);
  EXPECT_EQ(count(text, "0x401100/0x401000/P/-/-/0"), 2) << text;
  EXPECT_EQ(count(text, "0x401080/0x401040/M/-/-/0"), 2);
}

// An event of accesses to memory beside that of branches, and mappings of data.
TEST(Writer, PerfPrintsAccessesToMemory) {
  if (!have("perf")) GTEST_SKIP() << "perf is not installed";
  TemporaryFile file;
  Writer::Event accesses{.name = "accesses:u", .attr = branch_event(2).attr, .ids = {2}};
  accesses.attr.sample_type = field::identifier | field::ip | field::tid | field::time |
                              field::addr | field::period | field::data_src;
  accesses.attr.type = event_type::software, accesses.attr.config = 9;
  auto of_branches = branch_event(1);
  // perf script prints a field only where all events have it.
  of_branches.attr.sample_type |= field::addr | field::data_src;
  auto writer = Writer::create(file.path, {of_branches, accesses});
  ASSERT_TRUE(writer);
  writer->comm({.pid = 7, .tid = 7, .time = 1, .id = 1}, "app", true);
  writer->mmap2({.pid = 7, .tid = 7, .time = 2, .id = 1},
                {.start = 0x600000, .size = 0x1000, .path = "/bin/none", .protection = 3});
  const BranchEntry branches[] = {{0x401100, 0x401000, 2}};
  writer->sample(
      {.id = {.pid = 7, .tid = 7, .time = 5, .id = 1}, .ip = 0x401000, .branches = branches});
  writer->sample({.id = {.pid = 7, .tid = 7, .time = 6, .id = 2},
                  .ip = 0x401008,
                  .addr = 0x600010,
                  .data_src = data_src::load | data_src::levels_unknown,
                  .period = 50,
                  .exact_ip = true,
                  .event = 1});
  ASSERT_TRUE(writer->commit());
  std::string script = output_of("perf script -F event,ip,addr,period,data_src -i " + file.path);
  EXPECT_THAT(script,
              ::testing::ContainsRegex(
                  "50 +accesses:u: +600010 +[0-9a-f]+ .OP LOAD.LVL N/A or N/A.SNP N/A.TLB N/A"
                  ".LCK No.BLK +N/A"))
      << script;
  std::string report =
      output_of("perf report --stdio --mem-mode --sort=mem,symbol -i " + file.path);
  EXPECT_THAT(report, ::testing::ContainsRegex("100.00%.*N/A +.*401008")) << report;
  EXPECT_EQ(count(output_of("perf script --show-mmap-events -i " + file.path), "rw-p /bin/none"),
            1);

  Image image = read_image(file.path);
  auto recording = Recording::open(image);
  ASSERT_TRUE(recording);
  std::vector<Sample> samples;
  ReadCounts counts;
  recording->for_each_piece(1, counts, [&](const Piece& piece, unsigned) {
    RecordWalk walk(piece.records);
    for (Record record; walk.next(record);)
      if (record.type == RecordType::sample)
        recording->parser().sample(record, samples.emplace_back(), counts);
  });
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[1].event, 1U);
  EXPECT_EQ(samples[1].addr, 0x600010U);
  EXPECT_EQ(samples[1].data_src, data_src::load | data_src::levels_unknown);
  EXPECT_TRUE(recording->events()[1].attr.only_of_memory());
  EXPECT_FALSE(recording->events()[0].attr.only_of_memory());
}

TEST(Writer, PerfReadsItsFeatures) {
  if (!have("perf")) GTEST_SKIP() << "perf is not installed";
  TemporaryFile file;
  ASSERT_TRUE(write_recording(file.path, 1, 112, false));
  std::string ids = output_of("perf buildid-list -i " + file.path);
  EXPECT_THAT(ids, HasSubstr("abababababababababababababababababababab /bin/pgokit-test-app"));
  EXPECT_THAT(ids, ::testing::ContainsRegex("abababababababab +/lib/short.so"));
  std::string header = output_of("perf report --header-only -i " + file.path);
  for (const char* line :
       {"hostname : testhost", "os release : 6.1", "perf version : 1", "arch : x86_64",
        "nrcpus online : 2", "nrcpus avail : 4", "cpudesc : some cpu", "cpuid : AuthenticAMD,1,2,3",
        "total memory : 4096 kB", "cmdline : pgokit record", "name = cycles:u",
        "contains samples with branch stack"})
    EXPECT_THAT(header, HasSubstr(line));
}

// Addresses of a program that is not position independent.
TEST(Writer, LlvmProfgenTakesIt) {
  const std::string program =
      PGOKIT_SOURCE_DIR "/../shared/corpus/google-autofdo/gzip_lbr/test.binary";
  if (!have("perf") || !have("llvm-profgen-22")) GTEST_SKIP() << "perf or llvm-profgen is missing";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "not here: " << program;
  TemporaryFile file;
  auto event = branch_event(11);
  event.attr.sample_type &= ~field::callchain;
  auto writer = Writer::create(file.path, {event});
  ASSERT_TRUE(writer);
  RecordId at{.pid = 7, .tid = 7, .time = 100, .id = 11};
  writer->comm(at, "test.binary", true);
  writer->mmap2(at, {.start = 0x400000, .size = 0xa000, .path = "/tmp/test.binary"});
  const BranchEntry branches[] = {{0x400ff7, 0x400fe0, 2}, {0x401094, 0x400fe0, 2}};
  for (size_t i = 0; i < 5; ++i) {
    at.time += 10;
    writer->sample({.id = at, .ip = 0x400fe0, .branches = branches});
  }
  ASSERT_TRUE(writer->commit());
  TemporaryFile raw{file.path + ".raw"};
  std::string log = output_of(
      fmt::format("llvm-profgen-22 --perfdata={} --binary={} --skip-symbolization --output={}",
                  file.path, program, raw.path));
  std::ifstream in(raw.path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, "1\nfe0-ff7:5\n2\nff7->fe0:5\n1094->fe0:5\n") << log;
}

TEST(Writer, NothingAppearsWithoutCommit) {
  TemporaryFile file;
  {
    auto writer = Writer::create(file.path, {branch_event(1)});
    ASSERT_TRUE(writer);
    writer->comm({.pid = 1, .tid = 1}, "app", false);
  }
  EXPECT_NE(::access(file.path.c_str(), F_OK), 0);
  EXPECT_FALSE(Writer::create("/no/such/folder/x", {branch_event(1)}));
  EXPECT_FALSE(Writer::create("-", {branch_event(1)}));
}

}  // namespace
}  // namespace pgokit::perf
