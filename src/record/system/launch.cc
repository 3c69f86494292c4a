#include "record/system/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/shell_word.h"
#include "record/system/foreign_program.h"

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

std::string why_not(const std::string& command, int error) {
  if (error != ENOENT) return std::strerror(error);
  bool is_path = command.contains('/');
  if (is_path && access(command.c_str(), F_OK) == 0)
    return "the interpreter that it names, in its first line or as its loader, is not there";
  if (command.contains(' '))
    return fmt::format("there is no such command; a line of the shell is run by sh -c {}",
                       shell_word(command));
  if (is_path) return std::strerror(error);
  if (access(command.c_str(), F_OK) != 0) return "there is no such command";
  return fmt::format("there is no such command; the file here is run by ./{}", command);
}

// As of shells and env.
int exit_code_of(int error) { return error == ENOENT ? 127 : 126; }

// In the child: waits until `start` is closed, then becomes the program.
[[noreturn]] void become(char* const* arguments, int start, int failure, const sigset_t& signals,
                         bool same_addresses) {
  char nothing;
  while (read(start, &nothing, 1) < 0 && errno == EINTR) continue;
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  restore_file_size_signal();
  constexpr unsigned long ask = 0xffffffff;
  if (same_addresses) personality(static_cast<unsigned long>(personality(ask)) | ADDR_NO_RANDOMIZE);
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
  if (start_ >= 0) {  // nobody has let it go
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, __WALL);
    close(start_);
  }
  if (failure_ >= 0) close(failure_);
}

Result<Launch> Launch::prepare(const std::vector<std::string>& command, const sigset_t& signals,
                               bool same_addresses) {
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
    become(arguments.data(), start.read, failure.write, signals, same_addresses);
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

Status Launch::go(const std::function<void()>& meanwhile) {
  constexpr int between_ms = 10;
  close(std::exchange(start_, -1));
  pollfd failure{.fd = failure_, .events = POLLIN, .revents = 0};
  while (poll(&failure, 1, between_ms) <= 0) meanwhile();
  int error = 0;
  ssize_t n;
  while ((n = read(failure_, &error, sizeof error)) < 0 && errno == EINTR) continue;
  if (n != sizeof error) return {};
  return std::unexpected(
      Error{fmt::format("cannot run {}: {}", name_, why_not(name_, error)), exit_code_of(error)});
}

}  // namespace pgokit::record
