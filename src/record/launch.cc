#include "record/launch.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

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

// In the child: waits until `start` is closed, then becomes the program.
[[noreturn]] void become(char* const* arguments, int start, int failure, const sigset_t& signals) {
  char nothing;
  while (read(start, &nothing, 1) < 0 && errno == EINTR) continue;
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  execvp(arguments[0], arguments);
  int error = errno;
  [[maybe_unused]] auto written = write(failure, &error, sizeof error);
  _exit(error == ENOENT ? 127 : 126);
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
  if (n == sizeof error) return fail("cannot run {}: {}", name_, std::strerror(error));
  return {};
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

pid_t tracer_of(pid_t tid) {
  std::FILE* file = std::fopen(fmt::format("/proc/{}/status", tid).c_str(), "re");
  if (!file) return 0;
  char line[256];
  int tracer = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "TracerPid: %d", &tracer) == 1) break;
  std::fclose(file);
  return tracer;
}

}  // namespace pgokit::record
