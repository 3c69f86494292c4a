#include "measure/run.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <md5.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/ending_signals.h"
#include "measure/clock.h"

namespace pgokit::measure {
namespace {

constexpr size_t most_errors = 2048, most_output = 65536;  // bytes that are kept of them

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept { return std::swap(fd_, other.fd_), *this; }
  ~Fd() { close(); }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

// Of a process from its exec() on, its children included.
Fd counter_of(pid_t pid, u64 event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.disabled = attributes.enable_on_exec = attributes.inherit = 1;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  return Fd(static_cast<int>(syscall(SYS_perf_event_open, &attributes, pid, -1, -1, 8)));
}

std::optional<u64> value_of(const Fd& counter) {
  u64 value = 0;
  if (!counter.is_open() || read(counter.get(), &value, sizeof value) != sizeof value) return {};
  return value;
}

// Signals that are held, in a descriptor.
class Signals {
 public:
  Signals() {
    auto set = ending_signal_set();
    fd_ = Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  int fd() const { return fd_.get(); }
  bool take() const {
    signalfd_siginfo taken;
    if (read(fd_.get(), &taken, sizeof taken) != sizeof taken) return false;
    for (int signal : ending_signals) ::signal(signal, SIG_IGN);
    return true;
  }

 private:
  SignalHold hold_;
  Fd fd_;
};

const sigset_t* outermost_mask = nullptr;

struct Pipe {
  Fd in, out;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    in = Fd(ends[0]), out = Fd(ends[1]);
    return true;
  }
};

// What parent and child tell each other.
struct Start {
  double begun_s = 0;  // right before exec()
  int error = 0;       // of exec()
};

// What becomes of a command's streams and variables.
struct Surroundings {
  const Fd &out, &errors;
  const Environment& environment;
};

[[noreturn]] void execute(const std::vector<std::string>& command, const Pipe& gate,
                          const Surroundings& around, Start& start) {
  setpgid(0, 0);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(around.out.get(), STDOUT_FILENO);
  dup2(around.errors.get(), STDERR_FILENO);
  sigprocmask(SIG_SETMASK, &SignalHold::mask_of_commands(), nullptr);
  for (const auto& [name, value] : around.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  char go = 0;
  if (read(gate.in.get(), &go, 1) != 1) _exit(1);
  start.begun_s = now_s();
  execvp(words[0], words.data());
  start.error = errno;
  _exit(127);
}

// One command while it runs, until everything that is waited for has come.
class Watch {
 public:
  Watch(pid_t pid, Pipe& output, bool hash_output, Pipe& errors, const Signals& signals)
      : output_(output),
        hash_output_(hash_output),
        errors_(errors),
        signals_(signals),
        ended_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
    MD5Init(&hash_);
  }

  // An error: the time is over, or somebody wants all of this to end.
  Status until_end(double deadline_s) {
    while (true) {
      std::array<pollfd, 4> list{{{output_.in.get(), POLLIN, 0},
                                  {errors_.in.get(), POLLIN, 0},
                                  {ended_.get(), POLLIN, 0},
                                  {signals_.fd(), POLLIN, 0}}};
      int wait_ms = -1;
      if (deadline_s > 0)
        wait_ms = static_cast<int>(std::max(0.0, (deadline_s - now_s()) * 1000 + 1));
      int ready = poll(list.data(), list.size(), wait_ms);
      if (ready < 0 && errno == EINTR) continue;
      if (list[3].revents && signals_.take())
        return std::unexpected(Error{"interrupted", interrupted});
      if (ready == 0) return fail("it takes longer than --timeout");
      bool is_over = list[2].revents;
      if (is_over) ended_s_ = now_s();
      if (list[0].revents) take(output_, [&](Bytes bytes) { add_output(bytes); });
      if (list[1].revents) take(errors_, [&](Bytes bytes) { add_errors(bytes); });
      // What it has left running may write for ever.
      if (is_over && ((!list[0].revents && !list[1].revents) || ++late_ > most_late)) return {};
      bool is_closed = !output_.in.is_open() && !errors_.in.is_open();
      if (is_closed && !ended_.is_open()) return {};
    }
  }

  double ended_s() const { return ended_s_ > 0 ? ended_s_ : now_s(); }
  std::string take_errors() { return std::move(text_); }
  std::string take_output_start() { return std::move(output_start_); }
  u64 hash() {
    std::array<u8, MD5_DIGEST_LENGTH> digest;
    u64 first;
    MD5Final(digest.data(), &hash_);
    std::memcpy(&first, digest.data(), sizeof first);
    return first;
  }

 private:
  template <class Use>
  void take(Pipe& pipe, Use use) {
    auto size = read(pipe.in.get(), buffer_.data(), buffer_.size());
    if (size > 0)
      use(Bytes(buffer_).first(static_cast<size_t>(size)));
    else if (size == 0 || errno != EINTR)
      pipe.in.close();
  }
  void add_output(Bytes bytes) {
    if (!hash_output_) return;
    MD5Update(&hash_, bytes.data(), bytes.size());
    auto kept = bytes.first(std::min(bytes.size(), most_output - output_start_.size()));
    output_start_.append(reinterpret_cast<const char*>(kept.data()), kept.size());
  }
  void add_errors(Bytes bytes) {
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text_.size() > most_errors) text_.erase(0, text_.size() - most_errors);
  }

  Pipe& output_;
  bool hash_output_;
  Pipe& errors_;
  const Signals& signals_;
  Fd ended_;  // not open on kernels without it: the end is that of the pipes then
  double ended_s_ = 0;
  static constexpr int most_late = 32;
  int late_ = 0;  // reads since
  MD5_CTX hash_;
  std::array<u8, 65536> buffer_;
  std::string text_, output_start_;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

std::vector<std::string> command_of(const std::string& text) {
  if (text.find_first_of("|&;<>()$`\\\"'*?[]#~={}!\n") != std::string::npos)
    return {"/bin/sh", "-c", text};
  std::vector<std::string> words;
  for (size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string::npos;) {
    size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

SignalHold::SignalHold() {
  auto set = ending_signal_set();
  sigprocmask(SIG_BLOCK, &set, &before_);
  if (!outermost_mask) outermost_mask = &before_;
}

SignalHold::~SignalHold() {
  if (outermost_mask == &before_) outermost_mask = nullptr;
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

const sigset_t& SignalHold::mask_of_commands() { return *outermost_mask; }

std::string Run::ending() const {
  constexpr int of_signals = 128;
  if (signal) return fmt::format("was ended by signal {}", strsignal(signal));
  if (exit_code > of_signals && exit_code < of_signals + SIGRTMIN)
    return fmt::format("ended with exit code {} ({})", exit_code,
                       strsignal(exit_code - of_signals));
  return fmt::format("ended with exit code {}", exit_code);
}

Runner::Runner(Settings settings)
    : settings_(std::move(settings)),
      counts_(counter_of(0, PERF_COUNT_HW_INSTRUCTIONS).is_open()) {}

Result<Run> Runner::run(const std::vector<std::string>& command) const {
  Pipe gate, output, errors;
  if (!gate.open() || !errors.open() || !output.open())
    return fail("no pipe can be made: {}", std::strerror(errno));
  Fd log;
  if (!settings_.log.empty()) {
    log = Fd(open(settings_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!log.is_open()) return fail("{}: {}", settings_.log, std::strerror(errno));
  }
  void* shared =
      mmap(nullptr, sizeof(Start), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return fail("no memory can be shared: {}", std::strerror(errno));
  auto& start = *new (shared) Start;
  Signals signals;
  pid_t pid = fork();
  if (pid < 0) return fail("no process can be started: {}", std::strerror(errno));
  if (pid == 0)
    execute(command, gate,
            {.out = log.is_open() ? log : output.out,
             .errors = log.is_open() ? log : errors.out,
             .environment = settings_.environment},
            start);
  setpgid(pid, pid);
  output.out.close(), errors.out.close();

  Fd instructions, branch_misses;
  if (counts_) {
    instructions = counter_of(pid, PERF_COUNT_HW_INSTRUCTIONS);
    branch_misses = counter_of(pid, PERF_COUNT_HW_BRANCH_MISSES);
  }
  Watch watch(pid, output, settings_.hash_output, errors, signals);
  if (write(gate.out.get(), "", 1) != 1) kill(pid, SIGKILL);
  auto status = watch.until_end(settings_.timeout_s > 0 ? now_s() + settings_.timeout_s : 0);
  if (!status) kill(-pid, SIGKILL);
  int how = 0;
  rusage usage{};
  while (wait4(pid, &how, 0, &usage) < 0 && errno == EINTR) {
  }
  Start begun = start;
  munmap(shared, sizeof(Start));
  if (!status) return std::unexpected(status.error());
  if (begun.error) return fail("{}: {}", command[0], std::strerror(begun.error));
  return Run{.wall_s = watch.ended_s() - begun.begun_s,
             .user_s = seconds(usage.ru_utime),
             .system_s = seconds(usage.ru_stime),
             .peak_memory = static_cast<u64>(usage.ru_maxrss) * 1024,
             .page_faults = static_cast<u64>(usage.ru_minflt + usage.ru_majflt),
             .instructions = value_of(instructions),
             .branch_misses = value_of(branch_misses),
             .exit_code = WIFEXITED(how) ? WEXITSTATUS(how) : 0,
             .signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0,
             .output_hash = settings_.hash_output ? watch.hash() : 0,
             .output_start = watch.take_output_start(),
             .errors = watch.take_errors()};
}

}  // namespace pgokit::measure
