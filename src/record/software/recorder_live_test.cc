// Records real programs (test/record/program.cc) and checks what comes out: the program must not
// notice, and what is recorded must be possible.
#include <elf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <tuple>

#include "base/file.h"
#include "base/parallel.h"
#include "isa/decoder.h"
#include "perf/recording.h"
#include "record/recorder.h"

namespace pgokit::record {
namespace {

std::string temporary(const std::string& suffix) {
  auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = test->name();
  std::replace(name.begin(), name.end(), '/', '-');
  return fmt::format("{}pgokit-record-{}-{}-{}", ::testing::TempDir(), getpid(), name, suffix);
}

struct Outcome {
  int code = 0;
  std::string output;
};

// Runs `action` in a process of its own with its output going to a file; -1 if it was killed.
template <class F>
Outcome in_process(F action) {
  auto path = temporary("output");
  pid_t pid = fork();
  if (pid == 0) {
    int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDOUT_FILENO);
    _exit(action());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  Outcome outcome{.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                  .output = {}};
  if (auto file = MappedFile::open(path)) outcome.output = as_text(file->bytes());
  unlink(path.c_str());
  return outcome;
}

Outcome run(const std::vector<std::string>& command) {
  return in_process([&]() -> int {
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    return 99;
  });
}

int record_to(const RecordSettings& settings) {
  auto summary = record_in_software(settings);
  if (summary) return summary->exit_code;
  fmt::print("cannot record: {}\n", summary.error().message);
  std::fflush(stdout);
  return 98;
}

bool tracing_permitted() {
  return run({RECORDED, "nothing"}).code == 7 &&
         in_process([] {
           return record_to({.output = "/dev/null", .command = {RECORDED, "nothing"}});
         }).code == 7;
}

// Lines of processes come in any order.
std::string sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

struct Checked {
  size_t samples = 0, entries = 0, processes = 0, deepest = 0;
  size_t without_stack = 0;
  size_t of_main_threads = 0;
  size_t whole_chains = 0;
  size_t through_calls = 0;  // ranges with a system call on the way
  std::vector<std::string> problems;
};

// A process's code as the recording tells it.
class Image {
 public:
  void map(const perf::Mapping& mapping) {
    u64 end = mapping.start + mapping.size;
    std::erase_if(maps_, [&](const auto& old) {
      return old.first < end && old.second.end > mapping.start;  // they lie in its place
    });
    maps_[mapping.start] = {mapping.start + mapping.size, mapping.file_offset,
                            std::string(mapping.path)};
  }
  void clear() { maps_.clear(); }
  // Empty where the bytes are not in a file (the vdso).
  Bytes at(u64 address, std::map<std::string, MappedFile>& files) const {
    auto it = maps_.upper_bound(address);
    if (it == maps_.begin()) return {};
    const auto& [start, one] = *--it;
    if (address >= one.end) return {};
    auto file = files.find(one.path);
    if (file == files.end()) {
      auto opened = MappedFile::open(one.path);
      if (!opened) return {};
      file = files.emplace(one.path, std::move(*opened)).first;
    }
    u64 offset = address - start + one.offset;
    return offset < file->second.bytes().size() ? file->second.bytes().subspan(offset) : Bytes{};
  }

 private:
  struct One {
    u64 end, offset;
    std::string path;
  };
  std::map<u64, One> maps_;
};

class Checker {
 public:
  Checked check(const std::string& path) {
    auto file = MappedFile::open(path);
    if (!file) return checked_;  // of a run so short that no window fell into it
    auto recording = perf::Recording::open(file->bytes());
    if (!recording) return problem(recording.error().message), checked_;
    perf::ReadCounts counts;
    recording->for_each_piece(1, counts, [&](const perf::Piece& piece, unsigned) {
      perf::RecordWalk walk(piece.records);
      for (perf::Record record; walk.next(record);) take(recording->parser(), record);
    });
    checked_.processes = images_.size();
    return checked_;
  }

 private:
  void problem(std::string text) {
    if (checked_.problems.size() < 10) checked_.problems.push_back(std::move(text));
  }

  void take(const perf::Parser& parser, const perf::Record& record) {
    perf::Mapping mapping;
    perf::Sample sample;
    perf::Fork fork;
    perf::Comm comm;
    switch (record.type) {
      case perf::RecordType::mmap2:
        if (parser.mapping(record, mapping, counts_))
          images_[static_cast<u32>(mapping.pid)].map(mapping);
        break;
      case perf::RecordType::fork:
        if (parser.fork(record, fork, counts_) && fork.pid != fork.parent_pid)
          images_[fork.pid] = images_[fork.parent_pid];
        break;
      case perf::RecordType::comm:
        if (parser.comm(record, comm, counts_) && comm.exec) images_[comm.pid].clear();
        break;
      case perf::RecordType::sample:
        if (parser.sample(record, sample, counts_)) take(sample);
        break;
      default:
        break;
    }
  }

  isa::Instruction decode(u32 pid, u64 address) {
    return decoder_.decode(images_[pid].at(address, files_), address);
  }

  void take(const perf::Sample& sample) {
    ++checked_.samples;
    checked_.entries += sample.branches.size();
    checked_.without_stack += sample.branches.empty();
    checked_.of_main_threads += sample.pid == sample.tid;
    for (const auto& branch : sample.branches) take(sample.pid, branch);
    for (size_t i = 0; i + 1 < sample.branches.size(); ++i)
      straight(sample.pid, sample.branches[i + 1].to, sample.branches[i].from, true);
    if (!sample.branches.empty()) straight(sample.pid, sample.branches[0].to, sample.ip, false);
    take_chain(sample);
  }

  void take(u32 pid, const perf::BranchEntry& branch) {
    auto one = decode(pid, branch.from);
    if (!one.ok()) return;
    if (!isa::ends_range(one.flow)) problem(fmt::format("{:#x} is no branch", u64(branch.from)));
    if (one.has_target && one.target != branch.to)
      problem(fmt::format("{:#x} does not go to {:#x}", u64(branch.from), u64(branch.to)));
  }

  static bool is_system_call(Bytes code) {
    return code.size() >= 2 && code[0] == 0x0f && code[1] == 0x05;
  }

  void straight(u32 pid, u64 at, u64 end, bool to_branch) {
    u64 begin = at;
    while (at < end) {
      auto one = decode(pid, at);
      if (!one.ok()) return;
      checked_.through_calls += is_system_call(images_[pid].at(at, files_));
      if (isa::never_falls_through(one.flow))
        return problem(fmt::format("{:#x} to {:#x} is not straight", begin, end));
      at += one.length;
    }
    if (at != end && (to_branch || at < end + 16))
      problem(fmt::format("{:#x} to {:#x} misses the end", begin, end));
  }

  void take_chain(const perf::Sample& sample) {
    if (sample.callchain.size() < 2) return;
    checked_.deepest = std::max(checked_.deepest, sample.callchain.size());
    if (sample.callchain[1] != sample.ip) problem("the chain does not begin at the sample");
    take_caller(sample);
    for (u64 address : sample.callchain.subspan(2)) {
      bool behind_call = decode(sample.pid, address - 1).length == 0;
      for (u64 length = 2; length <= 7 && !behind_call; ++length) {
        auto one = decode(sample.pid, address - length);
        behind_call = one.length == length && isa::is_call(one.flow);
      }
      if (!behind_call) problem(fmt::format("{:#x} in a chain is not behind a call", address));
    }
  }

  // Where the newest branch is a call, it tells who the caller is.
  void take_caller(const perf::Sample& sample) {
    if (!sample.exact_ip) return;
    ++checked_.whole_chains;
    if (sample.branches.empty() || sample.branches[0].to != sample.ip) return;
    auto branch = decode(sample.pid, sample.branches[0].from);
    if (!branch.ok() || !isa::is_call(branch.flow)) return;
    if (sample.callchain.size() < 3 ||
        sample.callchain[2] != sample.branches[0].from + branch.length)
      problem(fmt::format("the chain at {:#x} lacks the caller", u64(sample.ip)));
  }

  Checked checked_;
  perf::ReadCounts counts_;
  std::map<u32, Image> images_;
  std::map<std::string, MappedFile> files_;
  isa::Decoder decoder_ = *isa::Decoder::for_machine(EM_X86_64, isa::LockPrefix::with_instruction);
};

// How much there is to record depends on the machine and on what else runs there. So `attempt` gets
// more and more to do, until it has recorded enough; everything is checked each time.
bool eventually(const std::function<bool(int factor)>& attempt) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int factor = 1;; factor *= 2) {
    if (attempt(factor)) return true;
    bool late = std::chrono::steady_clock::now() > deadline;
    if (late || ::testing::Test::HasFailure()) return false;
  }
}

Checked until(const std::function<bool(const Checked&)>& is_enough,
              const std::function<Checked(int factor)>& attempt) {
  Checked checked;
  eventually([&](int factor) {
    checked = attempt(factor);
    EXPECT_THAT(checked.problems, ::testing::IsEmpty());
    return is_enough(checked);
  });
  return checked;
}

Checked until_enough(size_t samples, const std::function<Checked(int factor)>& attempt) {
  return until([&](const Checked& checked) { return checked.samples >= samples; }, attempt);
}

struct Case {
  const char* mode;
  int rounds;
  size_t processes = 1;
  size_t samples = 50;  // to be had at least
};

class Records : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    static const bool permitted = tracing_permitted();
    if (!permitted) GTEST_SKIP() << "ptrace is not permitted here";
  }

  void check(const char* program) {
    auto path = temporary("data");
    auto checked = until_enough(GetParam().samples, [&](int factor) {
      std::vector<std::string> command = {program, GetParam().mode,
                                          std::to_string(GetParam().rounds * factor)};
      auto alone = run(command);
      auto recorded = in_process(
          [&] { return record_to({.output = path, .command = command, .frequency = 3000}); });
      EXPECT_EQ(recorded.code, alone.code);
      EXPECT_EQ(sorted_lines(recorded.output), sorted_lines(alone.output));
      return Checker().check(path);
    });
    EXPECT_GE(checked.samples, GetParam().samples);
    EXPECT_GE(checked.entries, checked.samples);
    EXPECT_GE(checked.deepest, 3U);
    EXPECT_EQ(checked.processes, GetParam().processes);
    unlink(path.c_str());
  }
};

TEST_P(Records, TheProgramNoticesNothing) { check(RECORDED); }
TEST_P(Records, NorDoesAStaticOne) {
  // Without a dynamic loader the C library cannot tell whose code an address is.
  if (std::string_view(GetParam().mode) == "sigprof") return;
  check(RECORDED_STATIC);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Records,
    ::testing::Values(Case{"sort", 60}, Case{"threads", 10}, Case{"processes", 40, 4},
                      Case{"sigtrap", 60}, Case{"sigprof", 400}, Case{"exceptions", 20},
                      Case{"longjumps", 80}, Case{"faults", 40, 1, 10}, Case{"libraries", 20},
                      Case{"goto", 40}, Case{"copies", 30}, Case{"calls", 20}, Case{"killed", 40}),
    [](const auto& one) { return std::string(one.param.mode); });

TEST(Recorder, ChainsAreWhole) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  auto checked = until_enough(200, [&](int factor) {
    std::vector<std::string> command = {RECORDED, "sort", std::to_string(60 * factor)};
    in_process([&] { return record_to({.output = path, .command = command, .frequency = 3000}); });
    return Checker().check(path);
  });
  EXPECT_GE(checked.whole_chains * 100, checked.samples * 95);
  unlink(path.c_str());
}

TEST(Recorder, WindowsGoOnBehindSystemCalls) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  // Of some 600 stacks, one.
  auto is_enough = [](const Checked& checked) { return checked.through_calls > 0; };
  auto checked = until(is_enough, [&](int factor) {
    std::vector<std::string> command = {RECORDED, "calls", std::to_string(20 * factor)};
    in_process([&] { return record_to({.output = path, .command = command, .frequency = 3000}); });
    return Checker().check(path);
  });
  EXPECT_GT(checked.through_calls, 0U);
  unlink(path.c_str());
}

// Where others want its processor, a recorder does not watch windows.
TEST(RecorderAlone, ThreadsGoOnInWindowsWithoutAStop) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  if (worker_count(0) < 2) GTEST_SKIP() << "the only processor is the program's";
  auto with_answers = [](int factor) {
    std::vector<std::string> command = {RECORDED, "sort", std::to_string(60 * factor)};
    auto done = in_process([&] {
      auto summary = record_in_software({.output = "/dev/null", .command = command});
      return summary && summary->counts.answers > 0 ? 0 : 1;
    });
    return done.code == 0;
  };
  EXPECT_TRUE(eventually(with_answers));
}

TEST(Recorder, LaterProcessesOfAProgramMapItsCopies) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  size_t with_copies = 0;
  auto checked = until_enough(100, [&](int factor) {
    std::vector<std::string> command = {RECORDED, "starts", std::to_string(40 * factor)};
    auto recorded = in_process(
        [&] { return record_to({.output = path, .command = command, .frequency = 1000}); });
    constexpr std::string_view line = "copies\n";
    with_copies = 0;
    for (size_t at; (at = recorded.output.find(line)) != std::string::npos; ++with_copies)
      recorded.output.erase(at, line.size());
    EXPECT_EQ(recorded.output, run(command).output);
    return Checker().check(path);
  });
  EXPECT_GE(with_copies, 1U);
  EXPECT_EQ(checked.processes, 9U);
  unlink(path.c_str());
}

TEST(Recorder, ThreadsThatWaitInWindowsLeaveRoomForOthers) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  auto checked = until_enough(1000, [&](int factor) {
    std::vector<std::string> command = {RECORDED, "crowd", std::to_string(32 * factor)};
    auto recorded = in_process(
        [&] { return record_to({.output = path, .command = command, .frequency = 10000}); });
    EXPECT_EQ(recorded.output, run(command).output);
    return Checker().check(path);
  });
  EXPECT_LE(checked.without_stack * 10, checked.samples);
  unlink(path.c_str());
}

// Windows that begin among the libraries, when stacks have taken all room near these, are not
// possible; those in the program are.
TEST(Recorder, StacksOfManyThreadsLeaveRoomForTheProgramsCode) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  auto checked = until_enough(100, [&](int factor) {
    std::vector<std::string> command = {RECORDED, "crowd", std::to_string(32 * factor)};
    auto recorded = in_process([&] { return record_to({.output = path, .command = command}); });
    EXPECT_EQ(recorded.output, run(command).output);
    return Checker().check(path);
  });
  EXPECT_LE(checked.without_stack * 5, checked.samples);
  unlink(path.c_str());
}

// Stops for them take the place of those that are asked for where it is due.
TEST(Recorder, AThreadThatMakesOthersIsSampledAllTheTime) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  auto enough = [](const Checked& checked) { return checked.of_main_threads >= 1000; };
  auto checked = until(enough, [&](int factor) {
    std::vector<std::string> command = {RECORDED, "makes", std::to_string(500 * factor)};
    auto recorded = in_process(
        [&] { return record_to({.output = path, .command = command, .frequency = 3000}); });
    EXPECT_EQ(recorded.output, run(command).output);
    return Checker().check(path);
  });
  EXPECT_TRUE(enough(checked));
  unlink(path.c_str());
}

// The recorder, as it has taken samples or stopped the program as often, or 0 if the program has ended before.
pid_t start_recorder(const RecordSettings& settings, const std::string& output) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  pid_t recorder = fork();
  if (recorder == 0) {
    int file = open(output.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDOUT_FILENO);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    auto told = settings;
    told.progress = [&](const TraceCounts& counts) {
      if ((settings.exact ? counts.stops : counts.samples) >= 50)
        std::ignore = write(ends[1], "x", 1);
    };
    _exit(record_to(told));
  }
  close(ends[1]);
  char byte;
  bool sampling = read(ends[0], &byte, 1) == 1;
  close(ends[0]);
  if (sampling) return recorder;
  waitpid(recorder, nullptr, 0);
  return 0;
}

void expect_to_outlive_its_recorder(RecordSettings settings) {
  auto output = temporary("long"), path = temporary("data");
  pid_t recorder = 0;
  std::vector<std::string> command;
  for (int rounds = 2000; recorder == 0 && rounds < 500'000; rounds *= 2) {
    command = {RECORDED, "sort", std::to_string(rounds)};
    settings.output = path, settings.command = command;
    recorder = start_recorder(settings, output);
  }
  ASSERT_GT(recorder, 0);
  kill(recorder, SIGKILL);
  waitpid(recorder, nullptr, 0);
  std::string got;
  for (int i = 0; i < 600 && got.empty(); ++i) {
    usleep(100'000);
    if (auto file = MappedFile::open(output)) got = as_text(file->bytes());
  }
  EXPECT_EQ(got, run(command).output);
  unlink(output.c_str());
}

TEST(Recorder, AProgramOutlivesAKilledRecorder) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  expect_to_outlive_its_recorder({.frequency = 20000});
}

TEST(Recorder, AProgramThatIsCountedOutlivesAKilledRecorder) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  expect_to_outlive_its_recorder({.exact = true});
}

// 1, which it never is, of a thread that cannot be stopped.
u64 gs_base_of(pid_t pid) {
  user_regs_struct regs;
  int status = 0;
  bool stopped = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 &&
                 ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0 &&
                 waitpid(pid, &status, 0) == pid;
  bool read = stopped && ptrace(PTRACE_GETREGS, pid, nullptr, &regs) == 0;
  ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return read ? regs.gs_base : 1;
}

TEST(Recorder, AttachesAndLeavesAgain) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(RECORDED, RECORDED, "forever", nullptr);
    _exit(99);
  }
  char ready;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  auto path = temporary("data");
  for (int round = 0; round < 2; ++round) {
    auto checked = until_enough(50, [&](int factor) {
      auto recorded = in_process([&] {
        return record_to(
            {.output = path, .pids = {pid}, .seconds = 0.2 * factor, .frequency = 1000});
      });
      EXPECT_EQ(recorded.code, 0) << recorded.output;
      return Checker().check(path);
    });
    EXPECT_GE(checked.samples, 50U);
    EXPECT_EQ(gs_base_of(pid), 0U);
    auto counted = in_process(
        [&] { return record_to({.output = path, .pids = {pid}, .seconds = 0.2, .exact = true}); });
    EXPECT_EQ(counted.code, 0) << counted.output;
    EXPECT_EQ(kill(pid, 0), 0);
    EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0) << "the program has ended";
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  close(ends[0]), close(ends[1]);
  unlink(path.c_str());
}

TEST(Recorder, LeavesThreadsThatWaitAlone) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  std::vector<std::string> command = {RECORDED, "waits", "400"};
  auto recorded =
      in_process([&] { return record_to({.output = path, .command = command, .seconds = 0.1}); });
  EXPECT_EQ(recorded.output, run(command).output);
  EXPECT_EQ(recorded.code, 5);
  unlink(path.c_str());
}

TEST(Recorder, TellsWhatCannotBeRun) {
  auto path = temporary("data");
  auto summary = record_in_software({.output = path, .command = {"/nothing/here"}});
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, ::testing::HasSubstr("cannot run /nothing/here: No such"));
  auto nobody = record_in_software({.output = path, .pids = {0x3ffffff}});
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, ::testing::HasSubstr("67108863"));
}

TEST(Recorder, SingleStepsTheSame) {
  if (!tracing_permitted()) GTEST_SKIP() << "ptrace is not permitted here";
  auto path = temporary("data");
  auto checked = until_enough(10, [&](int factor) {
    auto recorded = in_process([&] {
      return record_to({.output = path,
                        .command = {RECORDED, "sort", std::to_string(20 * factor)},
                        .frequency = 2000,
                        .single_step = true});
    });
    EXPECT_EQ(recorded.code, 4);
    return Checker().check(path);
  });
  EXPECT_GE(checked.samples, 10U);
  EXPECT_GT(checked.entries, 100U);
  unlink(path.c_str());
}

}  // namespace
}  // namespace pgokit::record
