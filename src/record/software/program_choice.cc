#include "record/software/program_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "record/system/file_facts.h"

namespace pgokit::record {
namespace {

namespace fs = std::filesystem;

constexpr size_t longest_comm = 15;  // what the kernel keeps of it

// Of a file that is no longer there, too.
std::string file_name(const fs::path& link) {
  constexpr std::string_view gone = " (deleted)";
  std::error_code error;
  auto path = fs::read_symlink(link, error);
  std::string name = path.filename();
  if (name.ends_with(gone) && !fs::exists(path, error)) name.resize(name.size() - gone.size());
  return name;
}

bool is_called(std::string_view name, const std::string& file, const std::string& comm) {
  if (name == file) return true;
  bool cut = name.size() > longest_comm;
  return name.substr(0, longest_comm) == comm && !(cut && file.starts_with(comm));
}

}  // namespace

bool ProgramChoice::takes(pid_t pid) {
  constexpr size_t most_seen = 8;
  fs::path link = fmt::format("/proc/{}/exe", pid);
  auto file = file_name(link), comm = comm_of(pid, pid);
  const auto& name = comm.size() < longest_comm ? comm : file;
  bool is_new = !file.empty() && std::ranges::count(seen_, name) == 0;
  if (is_new && seen_.size() < most_seen) seen_.push_back(name);
  return takes_all() || std::ranges::any_of(only_, [&](const std::string& one) {
           std::error_code error;
           return one.contains('/') ? fs::equivalent(link, one, error) : is_called(one, file, comm);
         });
}

}  // namespace pgokit::record
