#include "record/launch.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/cursor.h"
#include "base/file.h"
#include "record/foreign_program.h"

namespace pgokit::record {
namespace {

struct Pipe {
  int read = -1, write = -1;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail("cannot make a pipe: {}", std::strerror(errno));
  return Pipe{ends[0], ends[1]};
}

// A number of /proc/TID/status.
u64 field_of(pid_t tid, std::string_view name, int base) {
  auto file = MappedFile::open(fmt::format("/proc/{}/status", tid));
  if (!file) return 0;
  std::string text(as_text(file->bytes()));
  auto at = text.find(fmt::format("\n{}:", name));
  return at == text.npos ? 0 : std::strtoull(text.c_str() + at + name.size() + 2, nullptr, base);
}

// As of shells and env.
int exit_code_of(int error) { return error == ENOENT ? 127 : 126; }

// In the child: waits until `start` is closed, then becomes the program.
[[noreturn]] void become(char* const* arguments, int start, int failure, const sigset_t& signals) {
  char nothing;
  while (read(start, &nothing, 1) < 0 && errno == EINTR) continue;
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  execvp(arguments[0], arguments);
  int error = errno;
  [[maybe_unused]] auto written = write(failure, &error, sizeof error);
  _exit(exit_code_of(error));
}

}  // namespace

Launch::Launch(Launch&& other) noexcept
    : pid_(other.pid_),
      start_(std::exchange(other.start_, -1)),
      failure_(std::exchange(other.failure_, -1)),
      name_(std::move(other.name_)) {}

Launch::~Launch() {
  if (start_ >= 0) close(start_);
  if (failure_ >= 0) close(failure_);
}

Result<Launch> Launch::prepare(const std::vector<std::string>& command, const sigset_t& signals) {
  TRY(check_processor(command[0]));
  auto start = TRY(make_pipe());
  auto failure = TRY(make_pipe());
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = fork();
  if (pid < 0) return fail("cannot start a process: {}", std::strerror(errno));
  if (pid == 0) {
    close(start.write);
    become(arguments.data(), start.read, failure.write, signals);
  }
  close(start.read);
  close(failure.write);
  Launch launch;
  launch.pid_ = pid;
  launch.start_ = start.write;
  launch.failure_ = failure.read;
  launch.name_ = command[0];
  return launch;
}

Status Launch::go() {
  close(std::exchange(start_, -1));
  int error = 0;
  ssize_t n;
  while ((n = read(failure_, &error, sizeof error)) < 0 && errno == EINTR) continue;
  if (n != sizeof error) return {};
  bool unknown = error == ENOENT && name_.find('/') == name_.npos;
  return std::unexpected(
      Error{fmt::format("cannot run {}: {}", name_,
                        unknown ? "there is no such command" : std::strerror(error)),
            exit_code_of(error)});
}

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> list;
  DIR* folder = opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (!folder) return list;
  while (const auto* entry = readdir(folder))
    if (auto tid = std::atoi(entry->d_name)) list.push_back(tid);
  closedir(folder);
  return list;
}

bool has_pending_signal(pid_t tid) {
  u64 blocked = field_of(tid, "SigBlk", 16);
  return ((field_of(tid, "SigPnd", 16) | field_of(tid, "ShdPnd", 16)) & ~blocked) != 0;
}

pid_t tracer_of(pid_t tid) { return static_cast<pid_t>(field_of(tid, "TracerPid", 10)); }

}  // namespace pgokit::record
