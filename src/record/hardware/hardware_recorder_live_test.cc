// Recording by perf events, without a processor that has them: which are opened for what is to be
// recorded, and what becomes of the records that come out of their rings.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "record/hardware/hardware_recorder.h"
#include "test/support/replayed_recording.h"

namespace pgokit::record {
namespace {

using test::RawRecord;
using test::ReplayedEvents;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

const Rung rung{.name = "taken:u", .what = "", .type = PERF_TYPE_RAW, .config = 0xc4, .period = 11};

// A process that waits to be killed.
struct Sleeper {
  pid_t pid = fork();
  Sleeper() {
    if (pid != 0) return;
    while (true) pause();
  }
  void end() {
    if (pid > 0) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
    pid = 0;
  }
  ~Sleeper() { end(); }
};

std::string own_program() { return fs::read_symlink("/proc/self/exe"); }

struct HardwareRecorder : ::testing::Test {
  fs::path folder = fs::path(::testing::TempDir()) / fmt::format("pgokit-hardware-{}", getpid());
  std::string output = folder / "perf.data";
  ReplayedEvents events{{.processors = 2}};
  perf::test::Image image;

  HardwareRecorder() { fs::create_directories(folder); }
  ~HardwareRecorder() override { fs::remove_all(folder); }

  void give(size_t samples) {
    image = perf::test::branch_recording(samples);
    auto recording = perf::Recording::open(image);
    events.records = test::raw_records(*recording);
  }

  Result<RecordSummary> run(RecordSettings settings) {
    settings.output = output;
    return record_in_hardware(rung, settings, events);
  }

  // Of the recording that was written, in order.
  std::vector<std::string> types() const {
    auto bytes = perf::test::read_image(output);
    std::vector<std::string> names;
    if (bytes.empty()) return names;
    auto data = perf::test::data_of(bytes);
    perf::RecordWalk walk(data);
    for (perf::Record record; walk.next(record);) names.emplace_back(record_type_name(record.type));
    return names;
  }

  static size_t count(const std::vector<std::string>& names, const char* name) {
    return static_cast<size_t>(std::ranges::count(names, name));
  }

  // What is told of a process that ran already.
  std::vector<std::string> mapped_paths(pid_t pid) const {
    auto bytes = perf::test::read_image(output);
    std::vector<std::string> paths;
    auto recording = perf::Recording::open(bytes);
    perf::ReadCounts counts;
    recording->for_each_other([&](const perf::Record& record) {
      perf::Mapping mapping;
      if (record.type == perf::RecordType::mmap2 &&
          recording->parser().mapping(record, mapping, counts) && mapping.pid == pid)
        paths.emplace_back(mapping.path);
    });
    return paths;
  }

  std::string group_of(pid_t pid) {
    std::ofstream(folder / "cgroup.procs") << pid << "\n0\n" << getpid() << '\n';
    return folder;
  }
};

TEST_F(HardwareRecorder, RecordsACommandFromItsExecOn) {
  give(2000);
  events.when_all_are_out = [&] { kill(events.opened[0].target.pid, SIGTERM); };
  auto summary = run({.command = {"sleep", "60"}});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->exit_code, 128 + SIGTERM);
  EXPECT_EQ(summary->counts.samples, 2000);
  ASSERT_EQ(events.opened.size(), 2);
  for (int cpu : {0, 1}) {
    const auto& one = events.opened[static_cast<size_t>(cpu)];
    EXPECT_GT(one.target.pid, 0);
    EXPECT_EQ(one.target.cpu, cpu);
    EXPECT_EQ(one.target.flags, 0);
    EXPECT_TRUE(one.attr.enable_on_exec && one.attr.disabled && one.attr.inherit);
    EXPECT_TRUE(one.attr.mmap2 && one.attr.comm_exec && one.attr.task && one.attr.build_id);
    EXPECT_EQ(one.redirected_to, -1);
  }
  auto names = types();
  EXPECT_EQ(count(names, "SAMPLE"), 2000);
  EXPECT_EQ(count(names, "MMAP2"), 1);  // the kernel's own, and nothing from /proc
  EXPECT_EQ(names.back(), "FINISHED_ROUND");
  auto bytes = perf::test::read_image(output);
  auto recording = perf::Recording::open(bytes);
  EXPECT_TRUE(recording->ending().whole);
  EXPECT_EQ(recording->events()[0].name, "taken:u");
  EXPECT_EQ(recording->events()[0].ids.size(), 2);
}

// A parent whose children execute a program and end, as the kernel tells it.
std::vector<RawRecord> story_of_processes(u32 children) {
  auto image = perf::test::recording({test::event_as_asked_for()}, [&](perf::Writer& writer) {
    const perf::BranchEntry branches[] = {{0x401100, 0x401000, 2}, {0x401080, 0x401040, 1}};
    const u64 chain[] = {u64(-512), 0x401000, 0x401044};
    perf::RecordId at{.pid = 7, .tid = 7, .time = 100, .id = ReplayedEvents::first_id};
    for (u32 child = 8; child < 8 + children; ++child) {
      auto then = [&](u32 pid) {
        at.pid = at.tid = pid, ++at.time;
        return at;
      };
      writer.fork(then(child), 7, 7);
      writer.sample({.id = then(7), .ip = 0x400010, .callchain = chain, .branches = branches});
      writer.comm(then(child), "child", true);
      writer.mmap2(then(child), {.start = 0x400000, .size = 0x2000, .path = "/bin/child"});
      for (u32 i = 0; i < child % 40; ++i)
        writer.sample({.id = then(child), .ip = 0x401000 + i, .branches = branches});
      writer.exit(then(child), 7, 7);
    }
  });
  auto data = perf::test::data_of(image);
  return test::split(data);
}

u64 time_of(const RawRecord& record) {
  perf_event_header header;
  std::memcpy(&header, record.data(), sizeof header);
  // of a sample after identifier, ip, pid and tid; otherwise before the identifier at the end
  size_t at = header.type == PERF_RECORD_SAMPLE ? sizeof header + 24 : record.size() - 16;
  u64 time = 0;
  std::memcpy(&time, record.data() + at, sizeof time);
  return time;
}

TEST_F(HardwareRecorder, StoriesOfProcessesAreWrittenAsTheyAreRoundByRound) {
  for (u32 seed : {1U, 2U, 3U}) {
    ReplayedEvents two({.processors = 2, .seed = seed});
    two.records = story_of_processes(400);
    two.when_all_are_out = [&] { kill(two.opened[0].target.pid, SIGTERM); };
    ASSERT_TRUE(record_in_hardware(rung, {.output = output, .command = {"sleep", "60"}}, two));
    std::vector<RawRecord> written;
    u64 newest = 0, newest_before = 0, newest_before_that = 0;  // by rounds
    auto file = perf::test::read_image(output);
    for (auto& record : test::split(perf::test::data_of(file))) {
      if (record[0] == static_cast<u8>(perf::RecordType::finished_round)) {
        newest_before_that = newest_before, newest_before = newest;
        continue;
      }
      EXPECT_GT(time_of(record), newest_before_that);
      newest = std::max(newest, time_of(record));
      written.push_back(std::move(record));
    }
    std::ranges::sort(written, {}, time_of);
    EXPECT_EQ(written, two.records) << seed;
  }
}

TEST_F(HardwareRecorder, WhatIsInTheRingsAtTheEndIsRecorded) {
  give(50);
  struct Late : ReplayedEvents {
    using ReplayedEvents::ReplayedEvents;
    void enable(int fd, bool on) override {
      ReplayedEvents::enable(fd, on);
      while (!on && handed_over < records.size()) ReplayedEvents::wait({}, 0);
    }
    void wait(std::span<pollfd>, int) override {}
  } late(ReplayedEvents::Settings{});
  late.records = events.records;
  auto summary = record_in_hardware(rung, {.output = output, .command = {"true"}}, late);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(count(types(), "SAMPLE"), 50);
}

TEST_F(HardwareRecorder, ThreadsShareTheRingsOfTheProcessors) {
  Sleeper one, other;
  give(20);
  events.when_all_are_out = [&] { one.end(), other.end(); };
  auto summary = run({.pids = {one.pid, other.pid}});
  ASSERT_TRUE(summary) << summary.error().message;
  ASSERT_EQ(events.opened.size(), 4);
  EXPECT_NE(events.opened[0].target.pid, events.opened[2].target.pid);
  EXPECT_EQ(events.opened[2].redirected_to, events.opened[0].fd);
  EXPECT_EQ(events.opened[3].redirected_to, events.opened[1].fd);
  for (const auto& event : events.opened) {
    EXPECT_FALSE(event.attr.enable_on_exec);
    EXPECT_FALSE(event.enabled);  // at the end
  }
  auto names = types();
  EXPECT_EQ(names[0], "COMM");
  EXPECT_EQ(count(names, "COMM"), 3);
  EXPECT_EQ(count(names, "SAMPLE"), 20);
  EXPECT_THAT(mapped_paths(events.opened[0].target.pid), Contains(own_program()));
}

TEST_F(HardwareRecorder, AllProcessorsFromBeforeTheCommandOn) {
  Sleeper running;
  pid_t pid = running.pid;
  give(100);
  bool enabled_at_first = false, first = true;
  events.at_wait = [&] {
    if (std::exchange(first, false)) enabled_at_first = events.opened[0].enabled;
  };
  auto summary = run({.command = {"sleep", "0.2"}, .all_cpus = true});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->exit_code, 0);
  EXPECT_TRUE(enabled_at_first);
  ASSERT_EQ(events.opened.size(), 2);
  for (const auto& event : events.opened) {
    EXPECT_EQ(event.target.pid, -1);
    EXPECT_FALSE(event.attr.enable_on_exec);
  }
  EXPECT_THAT(mapped_paths(pid), Contains(own_program()));
}

TEST_F(HardwareRecorder, AllProcessorsUntilTheTimeIsOver) {
  give(100);
  auto summary = run({.all_cpus = true, .seconds = 0.05});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(count(types(), "SAMPLE"), summary->counts.samples);
}

TEST_F(HardwareRecorder, ControlGroupByItsFolder) {
  Sleeper member;
  pid_t pid = member.pid;
  give(100);
  struct stat opened{}, known{};
  events.refuse = [&](const perf_event_attr&, const EventTarget& target) {
    fstat(target.pid, &opened);
    return 0;
  };
  events.when_all_are_out = [&] {
    std::ofstream(folder / "cgroup.procs").flush();
    member.end();
  };
  auto summary = run({.cgroup = group_of(pid)});
  ASSERT_TRUE(summary) << summary.error().message;
  ASSERT_EQ(events.opened.size(), 2);
  stat(folder.c_str(), &known);
  EXPECT_EQ(opened.st_ino, known.st_ino);
  for (const auto& event : events.opened) EXPECT_EQ(event.target.flags, u64{PERF_FLAG_PID_CGROUP});
  EXPECT_EQ(summary->counts.samples, 100);
  EXPECT_THAT(mapped_paths(pid), Contains(own_program()));
}

TEST_F(HardwareRecorder, AnEmptyControlGroupIsAnError) {
  std::ofstream(folder / "cgroup.procs") << "";
  auto summary = run({.cgroup = folder});
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, HasSubstr("no processes in the control group"));
  EXPECT_TRUE(events.opened.empty());
}

TEST_F(HardwareRecorder, ProcessorsThatAreOffAreLeftOut) {
  events.refuse = [](const perf_event_attr&, const EventTarget& target) {
    return target.cpu == 0 ? ENODEV : 0;
  };
  auto summary = run({.all_cpus = true, .seconds = 0.01});
  ASSERT_TRUE(summary) << summary.error().message;
  ASSERT_EQ(events.opened.size(), 1);
  EXPECT_EQ(events.opened[0].target.cpu, 1);
  events.refuse = [](const perf_event_attr&, const EventTarget&) { return ENODEV; };
  EXPECT_FALSE(run({.all_cpus = true, .seconds = 0.01}));
}

TEST_F(HardwareRecorder, OlderKernelsAreAskedForLess) {
  events.refuse = [](const perf_event_attr& attr, const EventTarget&) {
    return attr.build_id ? EINVAL : 0;
  };
  auto summary = run({.all_cpus = true, .seconds = 0.01});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(events.opened.size(), 2);
}

TEST_F(HardwareRecorder, ACommandThatCannotBeRecordedDoesNotRun) {
  events.refuse = [](const perf_event_attr&, const EventTarget&) { return EACCES; };
  auto ran = folder / "ran";
  auto summary = run({.command = {"touch", ran}});
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, AllOf(HasSubstr("taken:u: "), HasSubstr("not permitted")));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_FALSE(fs::exists(ran));
  events.refuse = [](const perf_event_attr&, const EventTarget&) { return EMFILE; };
  EXPECT_THAT(run({.command = {"true"}}).error().message, HasSubstr("ulimit -n"));
}

TEST_F(HardwareRecorder, WhatTheKernelLosesIsCounted) {
  ReplayedEvents losing({.processors = 2, .most_at_once = 100'000, .loses = true});
  give(20'000);
  losing.records = events.records;
  losing.when_all_are_out = [&] { kill(losing.opened[0].target.pid, SIGTERM); };
  auto summary = record_in_hardware(rung, {.output = output, .command = {"sleep", "60"}}, losing);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_GT(losing.lost, 0);
  EXPECT_EQ(summary->counts.lost, losing.lost - losing.untold());
  auto names = types();
  EXPECT_EQ(count(names, "SAMPLE") + count(names, "COMM") + count(names, "MMAP2") + losing.lost,
            losing.records.size());
}

}  // namespace
}  // namespace pgokit::record
