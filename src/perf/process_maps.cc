#include "perf/process_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace pgokit::perf {
namespace {

constexpr int max_ancestors = 64, max_overlaps = 256;

}  // namespace

ProcessMaps::ProcessMaps(const Recording& recording, Kinds kinds)
    : kinds_(kinds), build_ids_(recording.features().build_ids) {
  recording.for_each_other([&](const Record& record) { add(recording, record); });
  for (auto it = processes_.begin(); it != processes_.end(); ++it) {
    auto& process = it.value();
    std::sort(process.starts.begin(), process.starts.end(), [](const Start& a, const Start& b) {
      return std::tie(a.time, a.order) < std::tie(b.time, b.order);
    });
    std::sort(process.mapped.begin(), process.mapped.end(), [](const Mapped& a, const Mapped& b) {
      return std::tie(a.start, a.time, a.order) < std::tie(b.start, b.time, b.order);
    });
    u64 reach = 0;
    for (auto& mapped : process.mapped) mapped.reach = reach = std::max(reach, mapped.end);
    for (u32 i = 0; i < process.mapped.size() && kinds == Kinds::all; ++i)
      if (process.mapped[i].executable) process.code.push_back(i);
  }
}

void ProcessMaps::add(const Recording& recording, const Record& record) {
  const Parser& parser = recording.parser();
  switch (record.type) {
    case RecordType::mmap:
    case RecordType::mmap2: {
      Mapping mapping;
      bool read = parser.mapping(record, mapping, ignored_);
      if (read && (mapping.executable || kinds_ == Kinds::all)) add_mapping(mapping);
      break;
    }
    case RecordType::comm: {
      Comm comm;
      if (parser.comm(record, comm, ignored_) && comm.exec)
        processes_[comm.pid].starts.push_back({comm.by.time, order_++, false, 0});
      break;
    }
    case RecordType::fork: {
      Fork fork;
      if (parser.fork(record, fork, ignored_) && fork.pid != fork.parent_pid)
        processes_[fork.pid].starts.push_back({fork.time, order_++, true, fork.parent_pid});
      break;
    }
    default:
      break;
  }
}

void ProcessMaps::add_mapping(const Mapping& mapping) {
  // "[kernel.kallsyms]_text": the name of the symbol that tells where the kernel is
  std::string_view path = mapping.path;
  if (path.starts_with("[kernel.kallsyms]")) path = "[kernel.kallsyms]";
  Bytes id = mapping.build_id.empty() ? build_ids_.of(path) : mapping.build_id;
  u64 end = mapping.start + mapping.size;
  if (end < mapping.start) end = ~u64(0);
  auto name = names_.intern(fmt::format("{}\n{}", path, hex(id)));
  auto pid = static_cast<u32>(mapping.pid);
  processes_[pid].mapped.push_back({mapping.start, end, mapping.by.time, order_++,
                                    mapping.file_offset, name, mapping.executable});
}

const ProcessMaps::Mapped* ProcessMaps::find(const Process& process, u64 address, u64 since,
                                             u64 until) {
  auto behind = std::upper_bound(process.mapped.begin(), process.mapped.end(), address,
                                 [](u64 at, const Mapped& m) { return at < m.start; });
  const Mapped* best = nullptr;
  for (int looked = 0; behind != process.mapped.begin() && looked < max_overlaps; ++looked) {
    const Mapped& mapped = *--behind;
    if (mapped.reach <= address) break;
    if (address >= mapped.end || mapped.time > until || mapped.time < since) continue;
    if (!best || mapped.time > best->time) best = &mapped;
  }
  return best;
}

// The youngest of the nearest, as far as one is valid.
ProcessMaps::Around ProcessMaps::code_around(const Process& process, u64 address, u64 since,
                                             u64 until) {
  Around around;
  auto start_of = [&](u32 place) { return process.mapped[place].start; };
  auto next = std::ranges::upper_bound(process.code, address, {}, start_of);
  auto consider = [&](const Mapped*& best, u32 place) {
    const Mapped& mapped = process.mapped[place];
    if (mapped.time > until || mapped.time < since) return false;
    if (best && mapped.start != best->start) return true;
    if (!best || mapped.time > best->time) best = &mapped;
    return false;
  };
  int looked = 0;
  for (auto it = next; it != process.code.begin() && looked < max_overlaps; ++looked)
    if (consider(around.before, *--it)) break;
  looked = 0;
  for (auto it = next; it != process.code.end() && looked < max_overlaps; ++it, ++looked)
    if (consider(around.after, *it)) break;
  return around;
}

template <class Each>
void ProcessMaps::for_each_generation(u32 pid, u64 time, Each each) const {
  for (int generation = 0; generation < max_ancestors; ++generation) {
    auto process = processes_.find(pid);
    if (process == processes_.end()) return;
    const auto& starts = process->second.starts;
    auto next = std::upper_bound(starts.begin(), starts.end(), time,
                                 [](u64 t, const Start& start) { return t < start.time; });
    bool started = next != starts.begin();
    u64 since = started ? next[-1].time : 0;
    if (each(process->second, since, time) || !started || !next[-1].has_parent) return;
    pid = next[-1].parent;
    time = since;
  }
}

const ProcessMaps::Mapped* ProcessMaps::find(u32 pid, u64 address, u64 time) const {
  const Mapped* found = nullptr;
  for_each_generation(pid, time, [&](const Process& process, u64 since, u64 until) {
    return (found = find(process, address, since, until)) != nullptr;
  });
  return found;
}

ProcessMaps::Around ProcessMaps::code_around(u32 pid, u64 address, u64 time) const {
  Around around;
  for_each_generation(pid, time, [&](const Process& process, u64 since, u64 until) {
    around = code_around(process, address, since, until);
    return around.before || around.after;
  });
  return around;
}

std::string_view ProcessMaps::path(NameId name) const {
  auto text = names_.text(name);
  return text.substr(0, text.rfind('\n'));
}

std::string_view ProcessMaps::build_id(NameId name) const {
  auto text = names_.text(name);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace pgokit::perf
