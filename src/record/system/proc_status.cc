#include "record/system/proc_status.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/cursor.h"
#include "base/file.h"
#include "base/parse_number.h"

namespace pgokit::record {
namespace {

int open_file(pid_t tid, std::string_view name) {
  return ::open(fmt::format("/proc/{}/{}", tid, name).c_str(), O_RDONLY | O_CLOEXEC);
}

// In few system calls: it is asked for before each window.
std::string text_of(int file) {
  std::string text;
  char part[4096];
  for (ssize_t n; (n = pread(file, part, sizeof part, static_cast<off_t>(text.size()))) > 0;) {
    text.append(part, static_cast<size_t>(n));
    if (n < static_cast<ssize_t>(sizeof part)) break;
  }
  return text;
}

std::string status_text(pid_t tid) {
  int file = open_file(tid, "status");
  if (file < 0) return {};
  auto text = text_of(file);
  close(file);
  return text;
}

// The rest of the line, empty where there is none.
std::string_view line_of(std::string_view text, std::string_view name) {
  for (size_t at = 0; (at = text.find(name, at)) != text.npos; ++at) {
    bool begins_line = at > 0 && text[at - 1] == '\n';
    auto rest = text.substr(at + name.size());
    if (begins_line && rest.starts_with(':')) return rest.substr(1, rest.find('\n') - 1);
  }
  return {};
}

// It ends where the line does, or the text.
u64 number_of(const std::string& text, std::string_view name, int base = 10) {
  auto line = line_of(text, name);
  return line.empty() ? 0 : std::strtoull(line.data(), nullptr, base);
}

// By the letters of the kernel: "State:\tS (sleeping)".
bool is_in_state(const std::string& status, std::string_view letters) {
  auto state = line_of(status, "State");
  auto letter = state.find_first_not_of(" \t");
  return letter != state.npos && letters.contains(state[letter]);
}

pid_t parent_of(pid_t pid) { return static_cast<pid_t>(number_of(status_text(pid), "PPid")); }

// The entries of a folder that are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> list;
  DIR* folder = opendir(path.c_str());
  if (!folder) return list;
  while (const auto* entry = readdir(folder))
    if (auto number = std::atoi(entry->d_name)) list.push_back(number);
  closedir(folder);
  return list;
}

// In a container everything is filtered, the recorder too: what it may do the program may. Older
// systems do not tell the number of filters.
bool is_sandboxed(const std::string& status) {
  constexpr u64 strict = 1;
  static const std::string own = status_text(getpid());
  static const u64 own_mode = number_of(own, "Seccomp");
  static const u64 own_filters = number_of(own, "Seccomp_filters");
  u64 mode = number_of(status, "Seccomp");
  if (mode == 0 || mode == strict) return mode == strict;
  return own_mode == 0 || number_of(status, "Seccomp_filters") > own_filters;
}

Restrictions restrictions_in(const std::string& status) {
  u64 blocked = number_of(status, "SigBlk", 16);
  u64 held = blocked | number_of(status, "SigIgn", 16);
  return {.sandboxed = is_sandboxed(status),
          .holds_faults = (held >> (SIGSEGV - 1) & 1) != 0,
          .shadow_stack = line_of(status, "x86_Thread_features").find("shstk") != std::string::npos,
          .alone = number_of(status, "Threads") == 1,
          .handled = number_of(status, "SigCgt", 16),
          .blocked = blocked};
}

// The 39th word of stat. The second one, the name of the program in brackets, may hold anything.
int processor_in(std::string_view stat) {
  constexpr int words_behind_name = 37;
  size_t at = stat.rfind(')');
  for (int i = 0; i < words_behind_name && at != stat.npos; ++i) at = stat.find(' ', at + 1);
  if (at == stat.npos) return -1;
  auto word = stat.substr(at + 1);
  u32 processor = 0;
  return parse_number(word.substr(0, word.find(' ')), processor) ? static_cast<int>(processor) : -1;
}

}  // namespace

bool has_ended(pid_t tid) { return is_in_state(status_text(tid), "ZX"); }

bool is_stopped(pid_t tid) { return is_in_state(status_text(tid), "T"); }

// It has no memory of its own.
bool is_of_kernel(pid_t tid) {
  auto status = status_text(tid);
  return !status.empty() && !is_in_state(status, "ZX") && line_of(status, "VmSize").empty();
}

std::vector<pid_t> threads_of(pid_t pid) {
  auto list = numbers_in(fmt::format("/proc/{}/task", pid));
  std::erase_if(list, has_ended);
  return list;
}

std::vector<pid_t> all_processes() {
  auto list = numbers_in("/proc");
  std::erase(list, getpid());
  return list;
}

// Parents are not always older than their children: until nothing is added any more.
std::vector<pid_t> with_descendants(std::vector<pid_t> pids) {
  std::vector<std::pair<pid_t, pid_t>> others;  // and their parents
  for (pid_t pid : all_processes()) others.emplace_back(pid, parent_of(pid));
  auto descends = [&](const auto& one) {
    bool is_child = std::ranges::count(pids, one.second) > 0;
    if (is_child && std::ranges::count(pids, one.first) == 0) pids.push_back(one.first);
    return is_child;
  };
  while (std::erase_if(others, descends) > 0) {
  }
  return pids;
}

pid_t tracer_of(pid_t tid) { return static_cast<pid_t>(number_of(status_text(tid), "TracerPid")); }

bool has_pending_signal(pid_t tid) {
  auto status = status_text(tid);
  u64 pending = number_of(status, "SigPnd", 16) | number_of(status, "ShdPnd", 16);
  return (pending & ~number_of(status, "SigBlk", 16)) != 0;
}

Restrictions restrictions_of(pid_t tid) { return restrictions_in(status_text(tid)); }

ThreadStatus::~ThreadStatus() {
  if (status_ >= 0) close(status_);
  if (stat_ >= 0) close(stat_);
}

Restrictions ThreadStatus::restrictions_of(pid_t tid) {
  if (status_ < 0) status_ = open_file(tid, "status");
  return restrictions_in(status_ < 0 ? std::string() : text_of(status_));
}

int ThreadStatus::processor_of(pid_t tid) {
  if (stat_ < 0) stat_ = open_file(tid, "stat");
  return stat_ < 0 ? -1 : processor_in(text_of(stat_));
}

Credentials credentials_of(pid_t tid) {
  auto status = status_text(tid);
  std::array<u32, 3> users{u32(-1), u32(-1), u32(-1)};
  auto rest = line_of(status, "Uid");
  for (auto& user : users) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    auto word = rest.substr(0, rest.find_first_of(" \t"));
    parse_number(word, user);
    rest.remove_prefix(word.size());
  }
  return {.capabilities = number_of(status, "CapEff", 16),
          .permitted = number_of(status, "CapPrm", 16),
          .user = users[0],
          .one_user = users[1] == users[0] && users[2] == users[0],
          .filtered = number_of(status, "Seccomp") != 0};
}

}  // namespace pgokit::record
