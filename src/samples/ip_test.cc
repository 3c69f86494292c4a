// Recordings and text without branch stacks, of the tiny program, to estimated counts.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/cursor.h"
#include "perf/writer.h"
#include "samples/ip_counts.h"
#include "samples/ip_estimate.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::samples {
namespace {

using testing::Contains;
using testing::ElementsAre;

class IpTest : public testing::Test {
 protected:
  program::Program open_tiny() {
    dir_.write("tiny", test::tiny_program().image());
    return *program::Program::open(path("tiny"), {});
  }
  std::string path(std::string_view name) const { return fmt::format("{}/{}", dir_.path(), name); }

  // (linked address, count)
  std::vector<std::pair<u64, u64>> seen(const IpRead& read) const {
    std::vector<std::pair<u64, u64>> out;
    for (const auto& one : read.counter.counts().ips)
      out.emplace_back(program_.code().address_of(one.at).value, one.count);
    return out;
  }

  IpRead read_text(std::string_view text, const RecordingOptions& options = {}) const {
    auto read = count_ip_script(text, program_, options);
    EXPECT_TRUE(read) << read.error().message;
    return std::move(*read);
  }

  test::ScratchDir dir_;
  program::Program program_ = open_tiny();
};

using Seen = std::pair<u64, u64>;

constexpr std::string_view maps =
    "PERF_RECORD_MMAP2 7/7: [0x10000(0x1000) @ 0x1000 08:01 5 0]: r-xp /bin/tiny\n"
    "PERF_RECORD_MMAP2 8/8: [0x20000(0x1000) @ 0x1000 08:01 5 0]: r-xp /bin/tiny\n";

TEST_F(IpTest, RecordingOfSeveralProcessesAtSeveralAddresses) {
  perf::Writer::Event event{.name = "cpu-clock:u", .attr = {}, .ids = {}};
  event.attr.sample_type = perf::field::ip | perf::field::tid | perf::field::time;
  event.attr.flags = perf::attr_flag::sample_id_all;
  auto writer = *perf::Writer::create(path("app.perf"), {event});
  for (u32 pid : {7u, 8u})
    writer.mmap2(
        {.pid = pid, .tid = pid, .time = 1},
        {.start = pid * 0x10000, .size = 0x1000, .file_offset = 0x1000, .path = "/bin/tiny"});
  auto sample = [&](u32 pid, u64 ip) {
    writer.sample({.id = {.pid = pid, .tid = pid, .time = 10}, .ip = ip});
  };
  sample(7, 0x70004), sample(8, 0x80004), sample(8, 0x70004), sample(8, 0x80005),
      sample(9, 0x70004);
  ASSERT_TRUE(writer.commit());
  auto file = *MappedFile::open(path("app.perf"));
  auto recording = *perf::Recording::open(file.bytes());
  EXPECT_TRUE(is_without_branches(recording));
  auto read = *count_ips(recording, program_, {});
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401004, 2)));
  EXPECT_EQ(read.use.samples(), 5u);
  EXPECT_EQ(read.use.used(), 2u);
  EXPECT_EQ(read.use[Fate::not_in_program], 2u);
  EXPECT_EQ(read.use[Fate::elsewhere], 1u);
  EXPECT_EQ(count_ips(recording, program_, {.pid = 7})->use.used(), 1u);
}

TEST_F(IpTest, OfSeveralEventsTheBestIsCounted) {
  auto text = std::string(maps) +
              "tiny 7 1.5:  250000 cpu-clock:u:  10004 main+0x4 (/bin/tiny)\n"
              "tiny 7 1.6:       1 page-faults:  10000 main (/bin/tiny)\n"
              "tiny 7 1.7:       1 page-faults:  10000 main (/bin/tiny)\n";
  auto read = read_text(text, {.event = ""});
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401004, 1)));
  EXPECT_EQ(read.events.name, "cpu-clock:u");
  EXPECT_EQ(read.use.samples(), 3u);
  EXPECT_EQ(read.use[Fate::other_event], 2u);
  EXPECT_THAT(seen(read_text(text, {.event = "page-faults"})), ElementsAre(Seen(0x401000, 2)));
  EXPECT_EQ(read_text(text).use.used(), 3u);
  EXPECT_EQ(count_ip_script(text, program_, {.event = "cycles"}).error().message,
            "--event cycles: it has cpu-clock:u, page-faults");
}

TEST_F(IpTest, TextWithProcesses) {
  auto text = std::string(maps) + "7      10004\n8      20004\n8      20000\n8  10004\n";
  auto read = read_text(text);
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401000, 1), Seen(0x401004, 2)));
  EXPECT_EQ(read.use[Fate::not_in_program], 1u);
  EXPECT_EQ(read_text(text, {.pid = 8}).use.used(), 2u);
  EXPECT_FALSE(count_ip_script(std::string(maps) + "     10004\n", program_, {.pid = 8}));
}

TEST_F(IpTest, TextWithoutProcessesTakesEveryAddressThatWasMapped) {
  auto read = read_text(std::string(maps) + "     10004\n     20004\n     30004\n");
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401004, 2)));
  EXPECT_EQ(read.use[Fate::not_in_program], 1u);
}

TEST_F(IpTest, TextAsPerfPrintsItByDefault) {
  auto read = read_text(
      std::string(maps) +
      "some app     7 24056.897010:     250000 cpu-clock:u:      10004 space::f(int)+0x13 "
      "(/bin/tiny)\n"
      "some app     8 24056.897010:     250000 cpu-clock:u:      20004 operator: +0x1 (/bin/tiny)\n"
      "app     8/9 [002] 24056.897010:     250000 cpu-clock:u:      20000 f+0x13 (/bin/tiny)\n");
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401000, 1), Seen(0x401004, 2)));
  EXPECT_EQ(read.use.samples(), 3u);
}

TEST_F(IpTest, TextWithCallChains) {
  std::string chain = "\t  10010 leaf+0x0 (/bin/tiny)\n\t  1000c main+0xc (/bin/tiny)\n\n";
  for (std::string head : {"7 \n", "app 7 \n", "app 7 24070.1:  250000 cpu-clock:u: \n", "\n"}) {
    auto read = read_text(fmt::format("{}{}{}7  10000\n", maps, head, chain));
    EXPECT_THAT(seen(read), ElementsAre(Seen(0x401000, 1), Seen(0x401010, 1))) << head;
    EXPECT_EQ(read.use.entries, 1u) << head;
    EXPECT_TRUE(read.has_chains) << head;
  }
}

TEST_F(IpTest, FramesMayBeOffsetsInTheirFiles) {
  auto read = read_text(std::string(maps) +
                        "8 \n\t 1010 leaf+0x0 (/bin/tiny)\n\t 1004 other (/bin/other)\n"
                        "\t 100c main+0xc (/bin/tiny)\n\n8  20000\n");
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401000, 1), Seen(0x401010, 1)));
  EXPECT_EQ(read.use.entries, 2u);
}

// Comments are many where samples are few.
TEST_F(IpTest, TextWithAHeader) {
  std::string header = "# ========\n# hostname : vm 10004\n# cmdline : perf record\n#\n";
  EXPECT_TRUE(looks_like_ip_script(header + "   10004\n"));
  EXPECT_FALSE(looks_like_ip_script(header));
  auto read = read_text(fmt::format("{}{}7  10000\n7  10000\n", header, maps));
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401000, 2)));
  EXPECT_EQ(read.use.samples(), 2u);
}

TEST_F(IpTest, InlinedFunctionsAreNoCallers) {
  auto read = read_text(fmt::format(
      "{}7 \n\t  10010 inner (inlined)\n\t  10010 leaf (/bin/tiny)\n\t  1000c main (/bin/tiny)\n\n",
      maps));
  EXPECT_THAT(seen(read), ElementsAre(Seen(0x401010, 1)));
  EXPECT_EQ(read.use.entries, 1u);
}

TEST_F(IpTest, TextThatDoesNotTellWhereTheProgramWas) {
  auto read = count_ip_script("7      10004\n", program_, {});
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("--show-mmap-events"), std::string::npos);
}

TEST_F(IpTest, OtherTextIsNoSuchText) {
  EXPECT_FALSE(looks_like_ip_script(""));
  EXPECT_FALSE(looks_like_ip_script("\n\n"));
  EXPECT_FALSE(looks_like_ip_script("hello world\nthis is\nno recording\n"));
  EXPECT_FALSE(looks_like_ip_script(maps));
  EXPECT_FALSE(count_ip_script("what is this\n", program_, {}));
  EXPECT_TRUE(looks_like_ip_script("   7fb10b8c962a\n"));
}

TEST_F(IpTest, NamesOfHexadecimalDigitsAreNoAddresses) {
  for (std::string name : {"f", "f7", "ab", "7f", "0x12", "7", "_Z1fv", "deadbeef"})
    for (std::string end : {"", "\n", "\r\n", "\n\n# more\nmain\n"})
      EXPECT_FALSE(looks_like_ip_script(name + end)) << name << end;
  EXPECT_TRUE(looks_like_ip_script("              f7\n"));
  EXPECT_TRUE(looks_like_ip_script("ffffffff81000000\n"));
  EXPECT_TRUE(looks_like_ip_script("7 f7\n"));
}

class EstimateTest : public testing::Test {
 protected:
  IpCounts::Seen at(u64 address, u64 count) const { return {code_.index_of({address}), count}; }

  std::string image_ = test::tiny_program().image();
  object::File file_ = *object::File::parse(as_bytes(image_));
  program::CodeSymbols symbols_{file_};
  program::CodeMap code_ = *program::CodeMap::build(file_, symbols_);
  program::FunctionTable functions_{{{.name = "main", .begin = 0x401000, .end = 0x40100d},
                                     {.name = "leaf", .begin = 0x401010, .end = 0x401012}},
                                    symbols_,
                                    0x1000};
};

TEST_F(EstimateTest, SamplesAreSpreadOverBlocksThatRunEquallyOften) {
  IpCounts seen{{at(0x401000, 30), at(0x401004, 2), at(0x401007, 10), at(0x401010, 20)}, {}};
  auto estimate = estimate_counts(code_, functions_, seen, 1);
  const auto& ranges = estimate.counts.ranges;
  ASSERT_EQ(ranges.size(), 4u);
  EXPECT_EQ(ranges[0].last.value, 0x401002u);
  EXPECT_EQ(ranges[0].count, ranges[2].count);
  EXPECT_NEAR(static_cast<double>(ranges[0].count), 2000, 200);  // 10 per instruction
  EXPECT_LT(ranges[1].count, 600u);
  // The call was counted, so nothing more enters the leaf from elsewhere.
  EXPECT_THAT(estimate.counts.branches,
              Contains(BranchCount{{0x401007}, {0x401010}, ranges[2].count}));
  EXPECT_EQ(estimate.quality.samples, 62u);
  EXPECT_EQ(estimate.quality.functions, 2u);
  EXPECT_EQ(estimate.quality.indirect_calls, 0);
  EXPECT_GT(estimate.quality.likely_overlap, 0.8);
  EXPECT_EQ(estimate.counts, estimate_counts(code_, functions_, seen, 3).counts);
}

TEST_F(EstimateTest, EntriesThatNoCallExplainsComeFromOutside) {
  IpCounts seen{{at(0x401010, 20)}, {}};
  auto estimate = estimate_counts(code_, functions_, seen, 1);
  EXPECT_THAT(estimate.counts.branches, ElementsAre(BranchCount{external, {0x401010}, 2000}));
}

TEST_F(EstimateTest, CallsAreSeenWhereTheCalleeHasItsFrame) {
  IpCounter counter(code_, functions_);
  auto add = [&](std::vector<BinaryAddr> chain) { return counter.add(chain); };
  EXPECT_TRUE(add({{0x401007}, {0x40100c}, {0x40100c}}));
  EXPECT_TRUE(add({{0x401000}, {0x40100c}}));  // no frame yet
  EXPECT_TRUE(add({{0x401002}, {0x40100c}}));
  EXPECT_TRUE(add({{0x40100c}, {0x40100c}}));  // no more
  EXPECT_TRUE(add({{0x401007}, {0x401004}}));  // no call stands before it
  EXPECT_FALSE(add({external, {0x40100c}}));
  u32 main = functions_.find(0x401000)->function;
  EXPECT_THAT(counter.counts().calls,
              ElementsAre(IpCounts::CallSeen{code_.index_of({0x401007}), main, 1}));
}

TEST_F(EstimateTest, NothingOfNothing) {
  auto estimate = estimate_counts(code_, functions_, {}, 1);
  EXPECT_EQ(estimate.counts, Counts{});
  EXPECT_EQ(estimate.quality.likely_overlap, 0);
}

TEST(IpQuality, IsTheMeanOfWhatWasAdded) {
  IpQuality all{.samples = 100, .functions = 3, .well_sampled = 2, .likely_overlap = 0.5};
  all.add({.samples = 300, .functions = 5, .well_sampled = 1, .likely_overlap = 0.9});
  EXPECT_EQ(all.samples, 400u);
  EXPECT_DOUBLE_EQ(all.likely_overlap, 0.8);
  EXPECT_EQ(all.functions, 5u);
}

}  // namespace
}  // namespace pgokit::samples
