#include "record/proc_status.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/cursor.h"
#include "base/file.h"

namespace pgokit::record {
namespace {

// The rest of the line, empty where there is none.
std::string status_line(pid_t tid, std::string_view name) {
  auto file = MappedFile::open(fmt::format("/proc/{}/status", tid));
  if (!file) return {};
  auto text = as_text(file->bytes());
  auto at = text.find(fmt::format("\n{}:", name));
  if (at == text.npos) return {};
  at += name.size() + 2;
  return std::string(text.substr(at, text.find('\n', at) - at));
}

bool has_ended(pid_t tid) {
  auto state = status_line(tid, "State");
  return state.find_first_of("ZX") != state.npos;
}

}  // namespace

u64 status_number(pid_t tid, std::string_view name, int base) {
  return std::strtoull(status_line(tid, name).c_str(), nullptr, base);
}

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> list;
  DIR* folder = opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (!folder) return list;
  while (const auto* entry = readdir(folder))
    if (auto tid = std::atoi(entry->d_name); tid && !has_ended(tid)) list.push_back(tid);
  closedir(folder);
  return list;
}

pid_t tracer_of(pid_t tid) { return static_cast<pid_t>(status_number(tid, "TracerPid")); }

bool has_pending_signal(pid_t tid) {
  u64 blocked = status_number(tid, "SigBlk", 16);
  return ((status_number(tid, "SigPnd", 16) | status_number(tid, "ShdPnd", 16)) & ~blocked) != 0;
}

// In a container everything is filtered, the recorder too: what it may do the program may. Older
// systems do not tell the number of filters.
bool is_sandboxed(pid_t tid) {
  constexpr u64 strict = 1;
  static const u64 own_mode = status_number(getpid(), "Seccomp");
  static const u64 own_filters = status_number(getpid(), "Seccomp_filters");
  u64 mode = status_number(tid, "Seccomp");
  if (mode == 0 || mode == strict) return mode == strict;
  return own_mode == 0 || status_number(tid, "Seccomp_filters") > own_filters;
}

bool has_shadow_stack(pid_t tid) {
  return status_line(tid, "x86_Thread_features").find("shstk") != std::string::npos;
}

}  // namespace pgokit::record
