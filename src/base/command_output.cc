#include "base/command_output.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pgokit {
namespace {

constexpr size_t most = 1 << 20;

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }

  void open_null(int fd) {
    posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
  }
  void copy(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Up to one byte more than is allowed.
std::string read_all(int fd) {
  std::string text(most + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  return text;
}

// "error: could not find ...": what follows the mark; empty where no line begins with one.
std::string cause_in(std::string_view text) {
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    for (std::string_view mark : {"error: ", "BOLT-ERROR: "})
      if (line.starts_with(mark)) return std::string(line.substr(mark.size()));
  }
  return "";
}

}  // namespace

std::string last_words(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
  text = text.substr(text.rfind('\n') + 1);
  return text.empty() ? "" : fmt::format(" ({})", text);
}

Result<std::string> output_of_command(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail("{}: {}", words.front(), std::strerror(errno));
  Actions actions;
  actions.open_null(STDIN_FILENO);
  actions.copy(ends[1], STDOUT_FILENO);
  actions.copy(ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int error = posix_spawnp(&child, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  ::close(ends[1]);
  if (error) {
    ::close(ends[0]);
    return fail("{}: cannot be run: {}", words.front(), std::strerror(error));
  }
  std::string text = read_all(ends[0]);
  ::close(ends[0]);  // one that prints more ends by that
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (text.size() > most) return fail("{}: prints more than a megabyte", words.front());
  if (WIFSIGNALED(status))
    return fail("{}: was ended by signal {}{}", words.front(), WTERMSIG(status), last_words(text));
  if (WEXITSTATUS(status) != 0) {
    auto cause = cause_in(text);
    if (cause.empty())
      cause = fmt::format("ends with exit code {}{}", WEXITSTATUS(status), last_words(text));
    return fail("{}: {}", words.front(), cause);
  }
  return text;
}

}  // namespace pgokit
