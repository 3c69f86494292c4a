#include "record/system/file_facts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/version.h"
#include "object/file.h"

namespace pgokit::record {

// It is asked for at each exec().
std::string comm_of(pid_t pid, pid_t tid) {
  char text[64];
  int fd = open(fmt::format("/proc/{}/task/{}/comm", pid, tid).c_str(), O_RDONLY | O_CLOEXEC);
  auto size = fd >= 0 ? read(fd, text, sizeof text) : 0;
  if (fd >= 0) close(fd);
  auto name = std::string_view(text, size > 0 ? static_cast<size_t>(size) : 0);
  return std::string(name.substr(0, name.find('\n')));
}

void describe_machine(perf::Writer::Features& features, const std::vector<std::string>& command) {
  utsname system;
  if (uname(&system) == 0) {
    features.hostname = system.nodename;
    features.osrelease = system.release;
    features.arch = system.machine;
  }
  features.version = fmt::format("pgokit {}", version);
  features.cpus_online = static_cast<u32>(sysconf(_SC_NPROCESSORS_ONLN));
  features.cpus_available = static_cast<u32>(sysconf(_SC_NPROCESSORS_CONF));
  features.cmdline = command;
}

std::vector<u8> build_id_of(pid_t tid, const Mapping& mapping) {
  if (mapping.inode == 0) return {};
  auto file = open_mapped(tid, mapping);
  if (!file) return {};
  auto program = object::File::parse(file->bytes());
  if (!program) return {};
  Bytes id = program->build_id();
  return {id.begin(), id.end()};
}

}  // namespace pgokit::record
