#include "record/hardware/running_processes.h"

#include "record/system/file_facts.h"
#include "record/system/proc_status.h"

namespace pgokit::record {

const std::vector<u8>& RunningProcesses::build_id(pid_t pid, const Mapping& mapping) {
  auto [it, is_new] = build_ids_.try_emplace({mapping.device, mapping.inode});
  if (is_new) it->second = build_id_of(pid, mapping);
  return it->second;
}

void RunningProcesses::write(pid_t pid) {
  auto map = MemoryMap::read(pid);
  if (!map) {
    if (obstacle_.empty() && !threads_of(pid).empty())
      obstacle_ = map.error().message + " (CAP_SYS_PTRACE permits it)";
    return;
  }
  if (map->list().empty()) return;
  auto at = at_;
  at.pid = at.tid = static_cast<u32>(pid);
  writer_.comm(at, comm_of(pid, pid), false);
  for (const auto& mapping : map->list())
    if (mapping.executable && mapping.readable)
      writer_.mmap2(at, {.start = mapping.start,
                         .size = mapping.size(),
                         .file_offset = mapping.offset,
                         .path = mapping.path.empty() ? "//anon" : mapping.path,
                         .build_id = build_id(pid, mapping)});
}

}  // namespace pgokit::record
