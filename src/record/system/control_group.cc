#include "record/system/control_group.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/cursor.h"
#include "base/file.h"
#include "base/parse_number.h"

namespace pgokit::record {
namespace {

namespace fs = std::filesystem;

std::string contents(const std::string& path) {
  auto file = MappedFile::open(path);
  return file ? std::string(as_text(file->bytes())) : std::string();
}

std::string_view take_word(std::string_view& line) {
  auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

// Where hierarchies are mounted, those first that say most: the unified one, then those of perf
// events, of processor time, and of systemd's own.
std::vector<std::string> hierarchies() {
  std::vector<std::pair<int, std::string>> found;
  auto text = contents("/proc/self/mounts");  // device folder type options ...
  for (std::string_view rest = text; !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    take_word(line);
    auto folder = take_word(line), type = take_word(line), options = take_word(line);
    auto has = [&](std::string_view name) { return options.find(name) != options.npos; };
    if (type == "cgroup2")
      found.emplace_back(0, folder);
    else if (type == "cgroup")
      found.emplace_back(has("perf_event") ? 1 : has("cpu") ? 2 : has("systemd") ? 3 : 4, folder);
  }
  std::ranges::sort(found);
  std::vector<std::string> folders;
  for (auto& [rank, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

bool is_group(const std::string& folder) {
  return access((folder + "/cgroup.procs").c_str(), F_OK) == 0;
}

void add_processes(const std::string& folder, std::vector<pid_t>& list) {
  auto text = contents(folder + "/cgroup.procs");
  for (std::string_view rest = text; !rest.empty();) {
    u32 pid = 0;
    auto line = rest.substr(0, rest.find('\n'));
    // 0: of another PID namespace.
    if (parse_number(line, pid) && pid != 0 && static_cast<pid_t>(pid) != getpid())
      list.push_back(static_cast<pid_t>(pid));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
}

}  // namespace

Result<ControlGroup> ControlGroup::find(std::string_view name) {
  std::string given(name);
  if (given.starts_with('/') && is_group(given)) return ControlGroup(given);
  auto folders = hierarchies();
  for (const auto& folder : folders)
    if (auto path = fmt::format("{}/{}", folder, given); is_group(path)) return ControlGroup(path);
  if (folders.empty()) return fail("no control groups are mounted here (/sys/fs/cgroup)");
  return fail("there is no control group {} in {} ('systemd-cgls' and /proc/PID/cgroup name them)",
              given, folders[0]);
}

std::vector<pid_t> ControlGroup::processes() const {
  std::vector<pid_t> list;
  add_processes(folder_, list);
  std::error_code error, unknown;  // a group that is removed meanwhile
  fs::recursive_directory_iterator it(folder_, error), end;
  for (; !error && it != end; it.increment(error))
    if (it->is_directory(unknown) && !it->is_symlink(unknown)) add_processes(it->path(), list);
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
  return list;
}

Result<std::vector<pid_t>> ControlGroup::some_processes() const {
  auto list = processes();
  if (!list.empty()) return list;
  return fail("there are no processes in the control group {}: start what is to be recorded first",
              folder_);
}

}  // namespace pgokit::record
