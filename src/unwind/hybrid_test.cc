// Recordings and perf script text with call chains, to counts per context.
#include <gmock/gmock.h>

#include <optional>

#include "base/cursor.h"
#include "perf/branch_contexts.h"
#include "perf/writer.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"
#include "unwind/contexts/raw_contexts.h"
#include "unwind/counted_contexts.h"
#include "unwind/hybrid_recording.h"
#include "unwind/hybrid_script.h"

namespace pgokit::unwind {
namespace {

constexpr std::string_view mapped =
    "PERF_RECORD_MMAP2 7/7: [0x10000(0x1000) @ 0x1000 fe:01 1 1]: r-xp /bin/tiny\n";
// in main, which has called leaf
constexpr std::string_view in_main =
    "\t    10004\n 0x10011/0x1000c/P  0x10007/0x10010/P  0x10002/0x10007/P \n\n";
constexpr std::string_view in_main_raw =
    "[]\n  1\n  7-7:{0}\n  2\n  2->7:{0}\n  7->10:{0}\n"
    "[0x7]\n  1\n  10-11:{0}\n  1\n  11->c:{0}\n";

class HybridTest : public testing::Test {
 protected:
  HybridTest() { EXPECT_TRUE(program_.load_functions(1)); }

  program::Program open_tiny() {
    dir_.write("tiny", test::tiny_program().image());
    return *program::Program::open(path("tiny"), {});
  }
  std::string path(std::string_view name) const { return fmt::format("{}/{}", dir_.path(), name); }

  std::string raw(const ContextCounts& counts) const {
    std::string text;
    write_raw_contexts(counts, program_.code(), program_.text_base(),
                       [&](std::string_view part) { text += part; });
    return text;
  }
  HybridScript read(const std::string& text, const HybridRules& rules = {},
                    const samples::ScriptOptions& options = {}) {
    auto read = unwind_script(text, program_, rules, options);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return std::move(*read);
  }

  test::ScratchDir dir_;
  program::Program program_ = open_tiny();
};

TEST_F(HybridTest, SamplesHaveContexts) {
  auto result = read(fmt::format("{}{}3\n{}", mapped, in_main, in_main));
  EXPECT_EQ(raw(result.counts), fmt::format(in_main_raw, 4));
  EXPECT_EQ(result.use.used(), 4u);
  EXPECT_EQ(result.facts.samples, 1u);
  EXPECT_EQ(result.facts.branches, 3u);
  EXPECT_EQ(result.ranges.total, 8u);
}

TEST_F(HybridTest, WithoutDebugInformationFramesAreUnknown) {
  auto result = read(fmt::format("{}{}", mapped, in_main), {.by_frames = true});
  EXPECT_EQ(raw(result.counts),
            "[]\n  3\n  7-7:1\n  10-10:1\n  11-11:1\n  3\n  2->7:1\n  7->10:1\n  11->c:1\n");
}

TEST_F(HybridTest, BadReturnAddressesEndTheChain) {
  auto result = read(fmt::format(
      "{}\t    10004\n\t    10004\n\t    1000c\n 0x10002/0x10007/P  0x10002/0x10007/P \n\n",
      mapped));
  EXPECT_EQ(result.facts.bad_return_addresses, 1u);
  EXPECT_EQ(result.use.used(), 1u);
}

TEST_F(HybridTest, SamplesThatCannotBeUsedAreCounted) {
  // in a prologue; outside with all its branches; a frame that is no number
  auto result =
      read(fmt::format("{}{}\t    10010\n\t    1000c\n 0x10011/0x1000c/P  0x1/0x2/P \n\n"
                       "\t    99999\n 0x5/0x6/P  0x7/0x8/P \n\n"
                       "\tgarbage\n 0x5/0x6/P  0x7/0x8/P \n\n",
                       mapped, in_main));
  EXPECT_EQ(result.use.samples(), 4u);
  EXPECT_EQ(result.use.used(), 1u);
  EXPECT_EQ(result.use[samples::Fate::not_in_program], 1u);
  EXPECT_EQ(result.use[samples::Fate::bad_call_chain], 2u);
  EXPECT_EQ(result.facts.outside_leaves, 1u);
  EXPECT_EQ(raw(result.counts), fmt::format(in_main_raw, 1));
}

TEST_F(HybridTest, ThreadsDoNotChangeTheCounts) {
  std::string text(mapped);
  for (int i = 0; i < 20'000; ++i)
    text += i % 3 ? in_main : "\t    10004\n 0x10002/0x10007/P  0x1000c/0x10000/P \n\n";
  for (bool by_frames : {false, true}) {
    auto one = read(text, {.by_frames = by_frames}, {.threads = 1});
    auto many = read(text, {.by_frames = by_frames}, {.threads = 5});
    EXPECT_EQ(raw(one.counts), raw(many.counts));
    EXPECT_EQ(one.facts.samples, many.facts.samples);
    EXPECT_EQ(one.facts.branches, many.facts.branches);
  }
}

TEST_F(HybridTest, OneProcessOnRequest) {
  std::string text(mapped);
  for (u32 pid : {7, 8}) text += fmt::format("app {} 1.5: cycles:\n{}\n", pid, in_main);
  auto result = read(text, {}, {.pid = 7});
  EXPECT_EQ(raw(result.counts), fmt::format(in_main_raw, 1));
  EXPECT_EQ(result.use.samples(), 2u);
  EXPECT_EQ(result.use[samples::Fate::elsewhere], 1u);
  EXPECT_FALSE(unwind_script(fmt::format("{}{}", mapped, in_main), program_, {}, {.pid = 7}));
}

// perf 6.1: the code is at 0x1000 of its file.
TEST_F(HybridTest, FramesMayBeOffsetsInTheirFiles) {
  auto sample = [](std::string_view leaf) {
    return fmt::format(
        "{}app 7 1.5: cycles:\n{}\t 1004 other (/bin/other)\n"
        " 0x10011/0x1000c/P  0x10007/0x10010/P  0x10002/0x10007/P \n\n",
        mapped, leaf);
  };
  auto expected = raw(read(sample("\t 10004 main (/bin/tiny)\n")).counts);
  EXPECT_EQ(expected, fmt::format(in_main_raw, 1));
  auto offsets = read(sample("\t 1004 main (/bin/tiny)\n"));
  EXPECT_EQ(raw(offsets.counts), expected);
  EXPECT_EQ(offsets.facts.outside_chains, 0u);
  EXPECT_EQ(read(sample("\t 1004 other (/bin/other)\n")).facts.outside_chains, 1u);
}

TEST_F(HybridTest, OtherScriptsAreRefused) {
  EXPECT_FALSE(unwind_script("hello\n", program_, {}, {}));
  EXPECT_FALSE(unwind_script(" 10011 0x10011/0x1000c/P 0x1/0x2/P\n", program_, {}, {}));
  EXPECT_FALSE(unwind_script("\t    10004\n\t    1000c\n", program_, {}, {}));
}

// app.perf, in which process 7 runs the program. 0: a hardware event, 1: one of software.
class HybridRecordingTest : public HybridTest {
 protected:
  perf::Writer create(u32 event_type) const {
    perf::Writer::Event event{.name = "cycles:u", .attr = {}, .ids = {}};
    event.attr.type = event_type;
    event.attr.sample_type = perf::field::ip | perf::field::tid | perf::field::time |
                             perf::field::callchain | perf::field::branch_stack;
    event.attr.flags = perf::attr_flag::sample_id_all;
    event.attr.branch_sample_type = perf::branch::user | perf::branch::any;
    auto writer = *perf::Writer::create(path("app.perf"), {event});
    writer.mmap2({.pid = 7, .tid = 7, .time = 1}, {.start = 0x10000,
                                                   .size = 0x1000,
                                                   .file_offset = 0x1000,
                                                   .path = "/bin/tiny",
                                                   .build_id = as_bytes("tiny build id here!!")});
    return writer;
  }

  HybridRecording read_back(const HybridRules& rules = {}) {
    file_ = *MappedFile::open(path("app.perf"));
    auto recording = *perf::Recording::open(file_->bytes());
    EXPECT_TRUE(has_call_chains(recording));
    return *unwind_recording(recording, program_, rules, {});
  }

 private:
  std::optional<MappedFile> file_;
};

// Branches that a recorder has counted, as in_main has them.
class CountedContextsTest : public HybridRecordingTest {
 protected:
  static perf::BranchCounts counts() {
    perf::BranchCounts counts;
    counts.files = {{"/bin/tiny", as_bytes("tiny build id here!!")}};
    counts.branches = {{{0, 0x1002}, {0, 0x1007}, 5},
                       {{0, 0x1007}, {0, 0x1010}, 5},
                       {{0, 0x1011}, {0, 0x100c}, 5}};
    return counts;
  }
  static std::string contexts() {
    perf::BranchContexts contexts;
    contexts.nodes.push_back({.parent = 0, .returns_to = {0, 0x100c}});
    contexts.steps = {{0, 0, {}, 5}, {0, 1, {0, 0x1007}, 5}, {1, 2, {0, 0x1010}, 5}};
    return encode(contexts, counts());
  }
  Result<HybridRecording> read_back(std::string contexts) {
    auto writer = create(1);
    writer.features().branch_counts = encode(counts());
    writer.features().branch_contexts = std::move(contexts);
    EXPECT_TRUE(writer.commit());
    file_ = *MappedFile::open(path("app.perf"));
    auto recording = *perf::Recording::open(file_->bytes());
    TRY(check_counted_contexts(recording));
    return read_counted_contexts(recording, program_, {}, {});
  }
  std::optional<MappedFile> file_;
};

TEST_F(CountedContextsTest, AreThoseOfSamples) {
  auto read = read_back(contexts());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(raw(read->counts), fmt::format(in_main_raw, 5));
  EXPECT_EQ(read->mappings, 1U);
}

TEST_F(CountedContextsTest, HaveToBeThereAndWhole) {
  auto missing = read_back("");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("pgokit record --exact --contexts"));
  auto whole = contexts();
  auto damaged = read_back(whole.substr(0, whole.size() - 1));
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().message, "its counts by context are damaged");
}

TEST_F(HybridRecordingTest, RecordingsHaveTheirUserChains) {
  auto writer = create(0);
  std::vector<u64> chain{perf::first_context_marker + 1, 0xffffffff81000000,
                         perf::user_context_marker, 0x10004};
  std::vector<perf::BranchEntry> branches{
      {0x10011, 0x1000c, 0}, {0x10007, 0x10010, 0}, {0x10002, 0x10007, 0}};
  writer.sample({.id = {.pid = 7, .tid = 7, .time = 5},
                 .ip = 0x10004,
                 .callchain = chain,
                 .branches = branches});
  writer.sample({.id = {.pid = 9, .tid = 9, .time = 6},
                 .ip = 0x10004,
                 .callchain = chain,
                 .branches = branches});
  ASSERT_TRUE(writer.commit());

  auto read = read_back();
  EXPECT_EQ(raw(read.counts), fmt::format(in_main_raw, 1));
  EXPECT_EQ(read.use.samples(), 2u);
  EXPECT_EQ(read.use[samples::Fate::elsewhere], 1u);
  EXPECT_EQ(read.mappings, 1u);
}

// At the first instruction of leaf, where chains by frame pointers lack main.
TEST_F(HybridRecordingTest, WholeChainsAreUsedInPrologues) {
  std::vector<u64> chain{perf::user_context_marker, 0x10010, 0x1000c};
  std::vector<perf::BranchEntry> branches{{0x10007, 0x10010, 0}, {0x10002, 0x10007, 0}};
  constexpr u32 hardware = 0, software = 1;
  for (u32 event_type : {hardware, software}) {
    auto writer = create(event_type);
    for (bool whole : {false, true})
      writer.sample({.id = {.pid = 7, .tid = 7, .time = 5},
                     .ip = 0x10010,
                     .exact_ip = whole,
                     .callchain = chain,
                     .branches = branches});
    ASSERT_TRUE(writer.commit());
    // A processor too knows the instruction exactly, and nothing of the chain.
    EXPECT_EQ(read_back().use.used(), event_type == software ? 1u : 0u);
    EXPECT_EQ(read_back({.trusts_whole_chains = false}).use.used(), 0u);
    EXPECT_EQ(read_back().use.samples(), 2u);
  }
}

TEST(RawContexts, AreInTheOrderOfTheirTexts) {
  ContextCounts counts(ContextCounts::Kind::lines);
  auto& contexts = counts.contexts;
  auto main = counts.names.intern("main"), main2 = counts.names.intern("main2");
  auto top = contexts.top(main);
  for (auto context : {contexts.child(top, {10, 0}, main), contexts.child(top, {1, 2}, main),
                       contexts.child(top, {1, 0}, main2), contexts.top(main2), top}) {
    counts.begin(context, false);
    counts.add_range({CodeIndex{0}, CodeIndex{2}, 1});
  }
  counts.normalize();
  test::ScratchDir dir;
  dir.write("tiny", test::tiny_program().image());
  auto program = *program::Program::open(fmt::format("{}/tiny", dir.path()), {});
  std::string text;
  write_raw_contexts(counts, program.code(), program.text_base(),
                     [&](std::string_view part) { text += part; });
  std::string expected;
  for (const char* context :
       {"main", "main2", "main:1 @ main2", "main:1.2 @ main", "main:10 @ main"})
    expected += fmt::format("[{}]\n  1\n  0-2:1\n  0\n", context);
  EXPECT_EQ(text, expected);
}

}  // namespace
}  // namespace pgokit::unwind
