// Recordings and perf script text of the tiny program, to counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cursor.h"
#include "perf/writer.h"
#include "samples/recording_counts.h"
#include "samples/script_counts.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::samples {
namespace {

using Branches = std::vector<std::pair<u64, u64>>;

class ReadTest : public testing::Test {
 protected:
  program::Program open_tiny() {
    dir_.write("tiny", test::tiny_program().image());
    return *program::Program::open(path("tiny"), {});
  }
  std::string path(std::string_view name) const { return fmt::format("{}/{}", dir_.path(), name); }

  test::ScratchDir dir_;
  program::Program program_ = open_tiny();
  // the call and its return, newest first
  Branches round_ = {{0x401011, 0x40100c}, {0x401007, 0x401010}};
  Counts round_counts_{{{{0x401010}, {0x401011}, 1}},
                       {{{0x401007}, {0x401010}, 1}, {{0x401011}, {0x40100c}, 1}}};
};

class RecordingTest : public ReadTest {
 protected:
  RecordingTest() : RecordingTest(perf::branch::user | perf::branch::any) {}
  explicit RecordingTest(u64 branch_type) : RecordingTest({event(branch_type)}) {}
  explicit RecordingTest(const std::vector<perf::Writer::Event>& events)
      : writer_(*perf::Writer::create(path("app.perf"), events)) {}

  static perf::Writer::Event event(u64 branch_type) {
    perf::Writer::Event event{.name = "cycles:u", .attr = {}, .ids = {}};
    event.attr.sample_type = perf::field::ip | perf::field::tid | perf::field::time |
                             perf::field::period | perf::field::branch_stack;
    event.attr.flags = perf::attr_flag::sample_id_all;
    event.attr.branch_sample_type = branch_type;
    return event;
  }

  void map(u32 pid, u64 time, u64 start, std::string_view file = "/bin/tiny",
           std::string_view id = "tiny build id here!!") {
    writer_.mmap2({.pid = pid, .tid = pid, .time = time}, {.start = start,
                                                           .size = 0x1000,
                                                           .file_offset = 0x1000,
                                                           .path = file,
                                                           .build_id = as_bytes(id)});
  }

  // Addresses of `branches` are the linked ones; the code is at `start`.
  void sample(u32 pid, u64 time, u64 start, const Branches& branches, u64 flags = 0) {
    std::vector<perf::BranchEntry> stack;
    for (auto [from, to] : branches)
      stack.push_back({from - 0x401000 + start, to - 0x401000 + start, flags});
    writer_.sample({.id = {.pid = pid, .tid = pid, .time = time}, .ip = start, .branches = stack});
  }

  Result<RecordingCounts> read(const RecordingOptions& options = {}) {
    EXPECT_TRUE(writer_.commit());
    file_ = std::make_unique<MappedFile>(*MappedFile::open(path("app.perf")));
    return count_recording(*perf::Recording::open(file_->bytes()), program_, options);
  }

  perf::Writer writer_;
  std::unique_ptr<MappedFile> file_;
};

TEST_F(RecordingTest, EveryProcessHasItsOwnLoadAddress) {
  map(7, 10, 0x10000);
  map(8, 20, 0x20000);
  sample(7, 30, 0x10000, round_);
  sample(8, 31, 0x20000, round_);
  auto read = this->read();
  ASSERT_TRUE(read);
  Counts twice = round_counts_;
  merge(twice, round_counts_);
  EXPECT_EQ(read->sums.counts(), twice);
  EXPECT_EQ(read->use.used(), 2u);
  EXPECT_EQ(read->use.entries, 4u);
  EXPECT_EQ(read->mappings, 2u);
}

TEST_F(RecordingTest, EverySampleIsAccountedFor) {
  map(7, 10, 0x10000);
  sample(7, 30, 0x10000, round_);
  sample(7, 31, 0x10000, {});
  sample(7, 32, 0x90000, round_);
  sample(9, 33, 0x10000, round_);
  sample(7, 5, 0x10000, round_);
  auto use = this->read()->use;
  EXPECT_EQ(use.samples(), 5u);
  EXPECT_EQ(use.used(), 1u);
  EXPECT_EQ(use[Fate::without_branches], 1u);
  EXPECT_EQ(use[Fate::not_in_program], 1u);
  EXPECT_EQ(use[Fate::elsewhere], 2u);
  EXPECT_EQ(use.samples(), use.used() + use[Fate::without_branches] + use[Fate::not_in_program] +
                               use[Fate::elsewhere]);
}

TEST_F(RecordingTest, EntriesElsewhereAreThoseOfSamplesUsed) {
  map(7, 10, 0x10000);
  auto mixed = round_;
  mixed.push_back({0x901007, 0x901010});
  sample(7, 30, 0x10000, mixed);
  sample(7, 31, 0x90000, round_);
  auto use = this->read()->use;
  EXPECT_EQ(use[Fate::not_in_program], 1u);
  EXPECT_EQ(use.entries, 3u);
  EXPECT_EQ(use.entries_elsewhere, 1u);
}

TEST_F(RecordingTest, RecordsOutOfOrderAreSorted) {
  sample(7, 30, 0x10000, round_);
  sample(8, 25, 0x10000, round_);
  writer_.fork({.pid = 8, .tid = 8, .time = 20}, 7, 7);
  map(7, 10, 0x10000);
  EXPECT_EQ(this->read()->use.used(), 2u);
}

// As perf makes it of an Arm SPE trace: every branch is a sample, also one that was not taken.
TEST_F(RecordingTest, StacksOfOneBranchEachRunToTheNextBranch) {
  ASSERT_TRUE(program_.load_functions(1));
  map(7, 10, 0x10000);
  constexpr u64 not_taken = u64{1} << 33;
  sample(7, 30, 0x10000, {{0x401002, 0x401004}}, not_taken);
  sample(7, 31, 0x10000, {{0x401007, 0x401010}});
  auto read = this->read({.run_to_next_branch = true});
  EXPECT_EQ(read->use.used(), 2u);
  EXPECT_EQ(read->use.deepest, 1u);
  auto counts = read->sums.counts();
  EXPECT_EQ(counts.branches, (std::vector<BranchCount>{{{0x401007}, {0x401010}, 1}}));
  auto recording = *perf::Recording::open(file_->bytes());
  auto as_they_are = count_recording(recording, program_, {});
  EXPECT_EQ(as_they_are->sums.counts().branches.size(), 2u);
  EXPECT_TRUE(as_they_are->sums.counts().ranges.empty());
}

TEST_F(RecordingTest, DeeperStacksHaveTheirOwnRanges) {
  map(7, 10, 0x10000);
  sample(7, 30, 0x10000, round_);
  EXPECT_EQ(this->read({.run_to_next_branch = true})->sums.counts(), round_counts_);
}

class SeveralEventsTest : public RecordingTest {
 protected:
  SeveralEventsTest() : RecordingTest({named("page-faults", 1), named("cycles:u", 2)}) {}

  static perf::Writer::Event named(std::string_view name, u64 id) {
    auto one = event(perf::branch::user | perf::branch::any);
    one.name = name;
    one.attr.sample_type |= perf::field::identifier;
    one.attr.type = 4;
    one.ids = {id};
    return one;
  }

  void sample(u64 id) {
    auto [from, to] = round_[0];
    perf::BranchEntry entry{from - 0x401000 + 0x10000, to - 0x401000 + 0x10000, 0};
    writer_.sample({.id = {.pid = 7, .tid = 7, .time = 30, .id = id},
                    .ip = 0x10000,
                    .event = id - 1,
                    .branches = {&entry, 1}});
  }
};

TEST_F(SeveralEventsTest, TheBestIsCountedWhereOneIsWanted) {
  map(7, 10, 0x10000);
  for (u64 id : {1, 1, 2}) sample(id);
  auto best = this->read({.event = ""});
  EXPECT_EQ(best->events.name, "cycles:u");
  EXPECT_EQ(best->use.samples(), 3u);
  EXPECT_EQ(best->use.used(), 1u);
  EXPECT_EQ(best->use[Fate::other_event], 2u);
  auto recording = *perf::Recording::open(file_->bytes());
  EXPECT_EQ(count_recording(recording, program_, {.event = "page-faults"})->use.used(), 2u);
  EXPECT_EQ(count_recording(recording, program_, {})->use.used(), 3u);
  EXPECT_FALSE(count_recording(recording, program_, {.event = "clock"}));
}

TEST_F(RecordingTest, WrongPathBranchesAreDroppedUnlessKept) {
  map(7, 10, 0x10000);
  constexpr u64 wrong_path = u64{1} << 24;
  sample(7, 30, 0x10000, round_, wrong_path);
  auto read = this->read();
  EXPECT_EQ(read->use.entries_wrong_path, 2u);
  EXPECT_EQ(read->sums.counts(), Counts{});
  auto kept =
      count_recording(*perf::Recording::open(file_->bytes()), program_, {.keep_wrong_path = true});
  EXPECT_EQ(kept->sums.counts(), round_counts_);
}

TEST_F(RecordingTest, OneProcessOnRequest) {
  map(7, 10, 0x10000);
  map(8, 10, 0x10000);
  sample(7, 30, 0x10000, round_);
  sample(8, 30, 0x10000, round_);
  EXPECT_EQ(this->read({.pid = 8})->use.used(), 1u);
}

TEST_F(RecordingTest, AnotherBuildIsRefusedUnlessAskedFor) {
  map(7, 10, 0x10000, "/bin/tiny", "some other build id!");
  sample(7, 30, 0x10000, round_);
  auto read = this->read();
  EXPECT_EQ(read->mappings, 0u);
  EXPECT_EQ(read->other_build, object::hex(as_bytes("some other build id!")));
  auto forced =
      count_recording(*perf::Recording::open(file_->bytes()), program_, {.ignore_build_id = true});
  EXPECT_EQ(forced->use.used(), 1u);
}

TEST_F(RecordingTest, AnotherBuildOfTheKernelIsRefusedUnlessAskedFor) {
  constexpr std::string_view text = "[kernel.kallsyms]_text";
  map(7, 10, 0x10000, text, "");
  sample(7, 30, 0x10000, round_);
  std::string_view id = "some other build id!";
  writer_.features().build_ids = {
      {"/boot/vmlinux-6.1", {id.begin(), id.end()}, perf::misc::kernel}};
  auto other = this->read({.kernel = true});
  EXPECT_EQ(other->mappings, 0u);
  EXPECT_EQ(other->other_build, object::hex(as_bytes(id)));
  auto recording = *perf::Recording::open(file_->bytes());
  auto forced = count_recording(recording, program_, {.ignore_build_id = true, .kernel = true});
  EXPECT_EQ(forced->use.used(), 1u);
}

TEST_F(RecordingTest, TheKernelWithoutBuildIdIsMatchedByName) {
  map(7, 10, 0x10000, "[kernel.kallsyms]_text", "");
  sample(7, 30, 0x10000, round_);
  auto read = this->read({.kernel = true});
  EXPECT_EQ(read->use.used(), 1u);
  EXPECT_TRUE(read->matched_by_name);
}

TEST_F(RecordingTest, AProgramWithoutBuildIdIsMatchedByName) {
  map(7, 10, 0x10000);
  sample(7, 30, 0x10000, round_);
  EXPECT_FALSE(this->read()->matched_by_name);
  auto image = test::tiny_program().image();
  image[image.find(std::string("GNU\0", 4)) - 4] = 0;  // the note is of another type
  test::ScratchDir other;
  other.write("tiny", image);
  auto program = program::Program::open(fmt::format("{}/tiny", other.path()), {});
  auto read = count_recording(*perf::Recording::open(file_->bytes()), *program, {});
  EXPECT_EQ(read->use.used(), 1u);
  EXPECT_TRUE(read->matched_by_name);
}

TEST_F(RecordingTest, ARenamedProgramIsFoundByItsBuildId) {
  map(7, 10, 0x10000, "/bin/renamed");
  sample(7, 30, 0x10000, round_);
  EXPECT_EQ(this->read()->use.used(), 1u);
}

TEST_F(RecordingTest, AProgramThatDidNotRunHasNoMappings) {
  map(7, 10, 0x10000, "/bin/other", "some other build id!");
  sample(7, 30, 0x10000, round_);
  auto read = this->read();
  EXPECT_EQ(read->mappings, 0u);
  EXPECT_EQ(read->other_build, "");
}

class CallStackRecordingTest : public RecordingTest {
 protected:
  CallStackRecordingTest() : RecordingTest(perf::branch::user | perf::branch::call_stack) {}
};

TEST_F(CallStackRecordingTest, IsNoBranchHistory) {
  EXPECT_TRUE(this->read().error().message.starts_with("its branch stacks are call stacks"));
}

class ScriptTest : public ReadTest {
 protected:
  ScriptTest() { EXPECT_TRUE(program_.load_functions(1)); }

  static constexpr std::string_view mapped =
      "PERF_RECORD_MMAP2 7/7: [0x10000(0x1000) @ 0x1000 fe:01 1 1]: r-xp /bin/tiny\n";
  static constexpr std::string_view round =
      " 10011 0x10011/0x1000c/P/-/-/0  0x10007/0x10010/P/-/-/0 \n";

  ScriptRead read(const std::string& text, const ScriptOptions& options = {}) {
    auto read = count_script(text, program_, options);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return std::move(*read);
  }
};

TEST_F(ScriptTest, BranchLinesAreRebasedByMappingEvents) {
  auto counts = read(fmt::format("{}{}", mapped, round)).sums.counts();
  EXPECT_EQ(counts, round_counts_);
}

TEST_F(ScriptTest, WithoutMappingEventLinkedAddressesAreTaken) {
  auto result = read(" 401011 0x401011/0x40100c/P  0x401007/0x401010/P \n");
  EXPECT_FALSE(result.facts.mapped);
  EXPECT_EQ(result.sums.counts(), round_counts_);
}

TEST_F(ScriptTest, ALaterMappingMovesTheProgram) {
  auto result = read(fmt::format(
      "{}{}PERF_RECORD_MMAP2 7/7: [0x20000(0x1000) @ 0x1000 fe:01 1 1]: r-xp /bin/tiny\n"
      " 20011 0x20011/0x2000c/P  0x20007/0x20010/P \n{}",
      mapped, round, round));
  EXPECT_EQ(result.use.samples(), 3u);
  EXPECT_EQ(result.use.used(), 2u);
  EXPECT_EQ(result.use[Fate::not_in_program], 1u);
}

TEST_F(ScriptTest, MappingsOfOtherProcessesOnRequest) {
  auto result = read(fmt::format("{}{}", mapped, round), {.pid = 8, .llvm_profgen = true});
  EXPECT_FALSE(result.facts.mapped);
  EXPECT_EQ(result.use[Fate::not_in_program], 1u);
}

TEST_F(ScriptTest, TextThatDoesNotTellProcessesIsRefusedWhereOneIsWanted) {
  for (std::string_view sample :
       {round, std::string_view("    10011 main (/bin/tiny) 0x1/0x2/P\n")})
    EXPECT_THAT(
        count_script(fmt::format("{}{}", mapped, sample), program_, {.pid = 7}).error().message,
        testing::HasSubstr("--pid 7: its samples do not tell their process"));
}

// With a column for the process each has its own load address, as in perf.data.
class ColumnsTest : public ScriptTest {
 protected:
  static std::string map(u32 pid, u64 start, std::string_view file = "/bin/tiny") {
    return fmt::format(
        "app {0} PERF_RECORD_MMAP2 {0}/{0}: [{1:#x}(0x1000) @ 0x1000 fe:01 1 1]: r-xp {2}\n", pid,
        start, file);
  }
  static std::string sample(u32 pid, u64 start) {
    return fmt::format("{} {:x} 0x{:x}/0x{:x}/P/-/-/0  0x{:x}/0x{:x}/P/-/-/0 \n", pid, start + 0x11,
                       start + 0x11, start + 0xc, start + 7, start + 0x10);
  }
};

TEST_F(ColumnsTest, EveryProcessHasItsOwnLoadAddress) {
  auto text = map(7, 0x10000) + map(8, 0x20000) + sample(7, 0x10000) + sample(8, 0x20000) +
              sample(7, 0x20000);
  auto result = read(text);
  Counts twice = round_counts_;
  merge(twice, round_counts_);
  EXPECT_EQ(result.sums.counts(), twice);
  EXPECT_EQ(result.use.used(), 2u);
  EXPECT_EQ(result.use[Fate::not_in_program], 1u);
  auto one = read(text, {.pid = 8});
  EXPECT_EQ(one.sums.counts(), round_counts_);
  EXPECT_EQ(one.use[Fate::elsewhere], 2u);
  EXPECT_EQ(one.use.samples(), 3u);
}

TEST_F(ColumnsTest, WhatAnotherProgramRunsIsNoneOfOurs) {
  auto use = read(map(7, 0x10000) + map(9, 0x10000, "/bin/other") + sample(9, 0x10000) +
                  sample(7, 0x10000))
                 .use;
  EXPECT_EQ(use.used(), 1u);
  EXPECT_EQ(use[Fate::elsewhere], 1u);
}

TEST_F(ColumnsTest, AProcessThatNoEventTellsOfMayBeAChild) {
  auto use = read(map(7, 0x10000) + map(8, 0x20000) + sample(6, 0x10000) + sample(6, 0x20000)).use;
  EXPECT_EQ(use.used(), 2u);
}

// perf script --show-task-events
TEST_F(ColumnsTest, ForksAndThreadsAndOtherPrograms) {
  auto text = map(7, 0x10000) + map(8, 0x20000) + "app 7 PERF_RECORD_FORK(5:5):(7:7)\n" +
              "app 8 PERF_RECORD_FORK(8:4):(8:8)\n" + sample(5, 0x10000) + sample(5, 0x20000) +
              sample(4, 0x20000) + "app 5 PERF_RECORD_COMM exec: a: b:5/5\n" + sample(5, 0x10000);
  auto use = read(text).use;
  EXPECT_EQ(use.used(), 2u);
  EXPECT_EQ(use[Fate::not_in_program], 1u);
  EXPECT_EQ(use[Fate::elsewhere], 1u);
  EXPECT_EQ(read(text, {.pid = 8}).use.used(), 1u);
}

TEST_F(ColumnsTest, ThreadsOfOursDoNotChangeTheCounts) {
  std::string text;
  for (u32 i = 0; i < 20'000; ++i) {
    if (i % 5'000 == 0) text += map(i % 3, 0x10000 * (1 + i / 5'000));
    text += sample(i % 3, 0x10000 * (1 + i / 5'000));
  }
  auto one = read(text, {.threads = 1}), three = read(text, {.threads = 3});
  EXPECT_EQ(one.sums.counts(), three.sums.counts());
  EXPECT_EQ(one.use.used(), three.use.used());
  EXPECT_GT(one.use.used(), 6'000u);
}

TEST_F(ScriptTest, TheKernelHasMappingsOfItsOwnName) {
  for (auto name : {"[kernel.kallsyms]", "[kernel.kallsyms]_text", "[kernel.kallsyms]_stext"}) {
    auto text = fmt::format(
        "PERF_RECORD_MMAP2 -1/0: [0x10000(0x1000) @ 0x10000 00:00 0 0]: r-xp {}\n{}", name, round);
    EXPECT_EQ(read(text, {.kernel = true}).sums.counts(), round_counts_);
    EXPECT_FALSE(read(text).facts.mapped);
  }
  auto unmapped = fmt::format("{}{}", mapped, round);
  auto none = count_script(unmapped, program_, {.kernel = true});
  EXPECT_TRUE(none.error().message.starts_with("--kernel: no mapping event is of ["));
  none = count_script(unmapped, program_, {.kernel = true, .llvm_profgen = true});
  EXPECT_EQ(none.error().message, "Kernel is requested, but no kernel is found in mmap events.");
}

TEST_F(ScriptTest, EntriesElsewhereAreThoseOfSamplesUsed) {
  auto use = read(fmt::format("{}5\n 10011 0x10011/0x1000c/P 0x90007/0x90010/P \n"
                              " 90011 0x90011/0x9000c/P 0x90007/0x90010/P \n",
                              mapped))
                 .use;
  EXPECT_EQ(use.used(), 5u);
  EXPECT_EQ(use[Fate::not_in_program], 1u);
  EXPECT_EQ(use.entries, 10u);
  EXPECT_EQ(use.entries_elsewhere, 5u);
}

TEST_F(ScriptTest, RepeatCountsAreWeights) {
  Counts five = round_counts_;
  for (auto& range : five.ranges) range.count = 5;
  for (auto& branch : five.branches) branch.count = 5;
  EXPECT_EQ(read(fmt::format("{}5\n{}", mapped, round)).sums.counts(), five);
}

TEST_F(ScriptTest, ChainsOfHybridSamplesDecideOnlyWhetherTheyCount) {
  // in the call of main: taken
  auto taken = read(fmt::format(
      "{}\t    10004\n\t    99999\n 0x10011/0x1000c/P  0x10007/0x10010/P \n\n", mapped));
  EXPECT_TRUE(taken.hybrid);
  EXPECT_EQ(taken.sums.counts(), round_counts_);
  // the first instruction of leaf, where the caller cannot be known: dropped
  auto dropped = read(fmt::format(
      "{}\t    10010\n\t    1000c\n 0x10011/0x1000c/P  0x10007/0x10010/P \n\n", mapped));
  EXPECT_EQ(dropped.use[Fate::bad_call_chain], 1u);
  EXPECT_EQ(dropped.use.samples(), 1u);
  // a frame that is no number: dropped, and what follows is read
  std::string_view sample = "\t    10004\n 0x10011/0x1000c/P  0x10007/0x10010/P \n\n";
  auto damaged = read(
      fmt::format("{}{}\t    10004\n\tgarbage\n 0x10011/0x1000c/P \n\n{}", mapped, sample, sample));
  EXPECT_EQ(damaged.use.used(), 2u);
  EXPECT_EQ(damaged.use.samples(), damaged.use.used() + damaged.use[Fate::bad_call_chain]);
  EXPECT_EQ(damaged.use[Fate::bad_call_chain], 1u);
  EXPECT_EQ(dropped.sums.counts(), Counts{});
}

TEST_F(ScriptTest, BranchesThatWereNotTakenAreMarked) {
  auto text = fmt::format(
      "{} 10002 0x10002/0x10004/PN/-/-/7/COND/-\n 10002 0x10002/0x10007/M/-/-/7/COND/-\n"
      " 10002 0x10002/0x10004/MN/-/-/7/COND/-                            \n",
      mapped);
  auto counts = read(text, {.run_to_next_branch = true});
  EXPECT_EQ(counts.use.used(), 3u);
  EXPECT_EQ(counts.sums.counts().branches, (std::vector<BranchCount>{{{0x401002}, {0x401007}, 1}}));
  EXPECT_EQ(read(text).sums.counts().branches.size(), 2u);
}

TEST_F(ScriptTest, DamagedRecordsEndTheirSampleOnly) {
  auto result =
      read(fmt::format("{}{} 10011 0x10011/0x1000c/P 0x10007/0x1Warning:\n", mapped, round));
  EXPECT_EQ(result.facts.bad_branches, 1u);
  EXPECT_EQ(result.facts.first_bad_line, 3u);
  EXPECT_EQ(result.sums.counts().branches.back().count, 2u);
}

TEST_F(ScriptTest, ThreadsDoNotChangeTheCounts) {
  std::string text(mapped);
  for (int i = 0; i < 100'000; ++i) text += round;
  text += "bad\n";
  auto one = read(text, {.threads = 1}), many = read(text, {.threads = 5});
  EXPECT_EQ(one.sums.counts(), many.sums.counts());
  EXPECT_EQ(one.use.used(), many.use.used());
  EXPECT_EQ(one.use.samples(), many.use.samples());
  EXPECT_EQ(one.facts.first_bad_line, many.facts.first_bad_line);
}

TEST_F(ScriptTest, WhatIsNoScriptIsRefused) {
  EXPECT_FALSE(count_script("hello\nworld\n", program_, {}));
  EXPECT_FALSE(count_script("", program_, {}));
}

// The same code behind 0x3adc bytes of the page of 64 KiB that it begins in.
class LargePagesTest : public testing::Test {
 protected:
  program::Program open(u16 type) {
    constexpr u64 text = 0x23adc;
    dir_.write("tiny", test::ElfBuilder()
                           .type(type)
                           .segment(PF_R, 0, 0, 0x13a00)
                           .segment(PF_R | PF_X, 0x13adc, text, 0x100)
                           .segment(PF_R | PF_X, 0x13be0, text + 0x10104, 0x100)
                           .section(".text", test::tiny_code(),
                                    {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = text})
                           .symbol("main", text, 13, 1)
                           .symbol("leaf", text + 0x10, 2, 1)
                           .image());
    return *program::Program::open(fmt::format("{}/tiny", dir_.path()), {});
  }

  static std::string mapping(u64 start, u64 offset) {
    return fmt::format(
        "PERF_RECORD_MMAP2 7/7: [{:#x}(0x10000) @ {:#x} fe:01 1 1]: r-xp /bin/tiny\n", start,
        offset);
  }
  static std::string sample(u64 main) {
    return fmt::format(" {0:x} {0:#x}/{1:#x}/P/-/-/0  {2:#x}/{3:#x}/P/-/-/0 \n", main + 0x11,
                       main + 0xc, main + 0x7, main + 0x10);
  }

  test::ScratchDir dir_;
  Counts round_counts_{{{{0x23aec}, {0x23aed}, 1}},
                       {{{0x23ae3}, {0x23aec}, 1}, {{0x23aed}, {0x23ae8}, 1}}};
};

TEST_F(LargePagesTest, MappingsBeginInFrontOfTheCode) {
  for (u16 type : {u16{ET_DYN}, u16{ET_EXEC}}) {
    auto program = open(type);
    u64 base = type == ET_DYN ? 0xaaaa00000000 : 0;
    auto text = mapping(base + 0x20000, 0x10000) + mapping(base + 0x30000, 0x10000) +
                sample(base + 0x23adc);
    auto read = count_script(text, program, {});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->facts.mapped);
    EXPECT_EQ(read->facts.base, base + 0x23000);
    EXPECT_EQ(read->sums.counts(), round_counts_);
  }
}

TEST_F(LargePagesTest, MappingsThatDoNotReachTheCodeAreRefused) {
  auto program = open(ET_DYN);
  auto text = mapping(0xaaaa00000000, 0) + sample(0xaaaa00023adc);
  EXPECT_EQ(count_script(text, program, {}).error().message,
            "mapping event with an offset (0x0) in front of the code");
}

TEST_F(ScriptTest, SegmentsThatDoNotFitAreRefused) {
  auto text = "PERF_RECORD_MMAP2 7/7: [0x10000(0x1000) @ 0 fe:01 1 1]: r-xp /bin/tiny\n" +
              std::string(round);
  EXPECT_FALSE(count_script(text, program_, {}));
}

}  // namespace
}  // namespace pgokit::samples
