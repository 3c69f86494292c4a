#include "record/system/privileges.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/types.h"
#include "record/system/proc_status.h"

namespace pgokit::record {
namespace {

std::string link_at(const char* path) {
  char text[64];
  auto n = readlink(path, text, sizeof text);
  return n > 0 ? std::string(text, static_cast<size_t>(n)) : std::string();
}

// Empty where /proc is not there.
bool is_another(const std::string& link, std::string_view first) {
  return !link.empty() && link != first;
}

}  // namespace

Privileges own_privileges() {
  auto own = credentials_of(getpid());
  return {.pid_namespace = is_another(link_at("/proc/self/ns/pid"), "pid:[4026531836]"),
          .user_namespace = is_another(link_at("/proc/self/ns/user"), "user:[4026531837]"),
          .seccomp = own.filtered,
          .sys_ptrace = (own.capabilities >> CAP_SYS_PTRACE & 1) != 0};
}

std::string process_files_obstacle() {
  auto self = link_at("/proc/self");
  if (self.empty()) return "/proc is not mounted (mount -t proc proc /proc)";
  if (self == std::to_string(getpid())) return {};
  return "/proc is that of another PID namespace (mount -t proc proc /proc)";
}

std::string tracing_obstacle(pid_t pid) {
  if (is_of_kernel(pid)) return "it is a thread of the kernel, which runs no program";
  auto own = credentials_of(getpid()), other = credentials_of(pid);
  struct stat files;
  if ((own.capabilities >> CAP_SYS_PTRACE & 1) != 0 ||
      stat(fmt::format("/proc/{}", pid).c_str(), &files) != 0)
    return {};
  if (other.user != geteuid())
    return fmt::format(
        "it is a process of user {}, and this one is of user {}: record as that user, "
        "or as root",
        other.user, geteuid());
  if (!other.one_user || files.st_uid != geteuid())
    return "it has changed its user, or forbids to be looked at: record as root";
  if ((other.permitted & ~own.permitted) != 0)
    return "it has capabilities that this process has not: record as root";
  return {};
}

}  // namespace pgokit::record
