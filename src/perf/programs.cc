// What a process had mapped at a time is found without replaying the recording, so that samples can
// be looked at in any order: each process has its mappings with the time they were made, and the
// times at which it began anew, by exec (with nothing) or by fork (with what the parent had then).
#include "perf/programs.h"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <tuple>

#include "base/names.h"
#include "base/parallel.h"
#include "perf/branch_counts.h"
#include "perf/build_ids.h"

namespace pgokit::perf {
namespace {

constexpr u32 kernel_pid = ~u32(0);
constexpr int max_ancestors = 64, max_overlaps = 256;
constexpr NameId unknown{0}, kernel{1};

std::string hex(Bytes bytes) {
  std::string text;
  for (u8 byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

struct Mapped {
  u64 start, end, time;
  u64 order;  // in the recording
  NameId name;
  u64 reach = 0;  // the farthest end of this one and those in front of it
};

struct Start {
  u64 time, order;
  bool has_parent;
  u32 parent;
};

struct Process {
  std::vector<Mapped> mapped;
  std::vector<Start> starts;
};

class Processes {
 public:
  explicit Processes(const Recording& recording);

  NameId name_at(const Sample& sample) const;
  const Names& names() const { return names_; }

 private:
  void add(const Recording& recording, const Record& record);
  void add_mapping(const Mapping& mapping);
  const Mapped* find(const Process& process, u64 ip, u64 since, u64 until) const;
  NameId find(u32 pid, u64 ip, u64 time) const;

  Names names_;
  tsl::robin_map<u32, Process> processes_;
  BuildIds build_ids_;  // where mappings have none
  ReadCounts ignored_;
  u64 order_ = 0;
};

Processes::Processes(const Recording& recording) : build_ids_(recording.features().build_ids) {
  names_.intern("[unknown]\n");
  names_.intern("[kernel]\n");
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
  }
}

void Processes::add(const Recording& recording, const Record& record) {
  const Parser& parser = recording.parser();
  switch (record.type) {
    case RecordType::mmap:
    case RecordType::mmap2: {
      Mapping mapping;
      if (parser.mapping(record, mapping, ignored_) && mapping.executable) add_mapping(mapping);
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

void Processes::add_mapping(const Mapping& mapping) {
  // "[kernel.kallsyms]_text": the name of the symbol that tells where the kernel is
  std::string_view path = mapping.path;
  if (path.starts_with("[kernel.kallsyms]")) path = "[kernel.kallsyms]";
  Bytes id = mapping.build_id.empty() ? build_ids_.of(path) : mapping.build_id;
  u64 end = mapping.start + mapping.size;
  if (end < mapping.start) end = ~u64(0);
  auto name = names_.intern(fmt::format("{}\n{}", path, hex(id)));
  auto pid = static_cast<u32>(mapping.pid);
  processes_[pid].mapped.push_back({mapping.start, end, mapping.by.time, order_++, name});
}

// The youngest one at that address and time.
const Mapped* Processes::find(const Process& process, u64 ip, u64 since, u64 until) const {
  auto behind = std::upper_bound(process.mapped.begin(), process.mapped.end(), ip,
                                 [](u64 address, const Mapped& m) { return address < m.start; });
  const Mapped* best = nullptr;
  for (int looked = 0; behind != process.mapped.begin() && looked < max_overlaps; ++looked) {
    const Mapped& mapped = *--behind;
    if (mapped.reach <= ip) break;
    if (ip >= mapped.end || mapped.time > until || mapped.time < since) continue;
    if (!best || mapped.time > best->time) best = &mapped;
  }
  return best;
}

NameId Processes::find(u32 pid, u64 ip, u64 time) const {
  for (int generation = 0; generation < max_ancestors; ++generation) {
    auto process = processes_.find(pid);
    if (process == processes_.end()) return unknown;
    const auto& starts = process->second.starts;
    auto next = std::upper_bound(starts.begin(), starts.end(), time,
                                 [](u64 t, const Start& start) { return t < start.time; });
    bool started = next != starts.begin();
    u64 since = started ? next[-1].time : 0;
    if (const auto* mapped = find(process->second, ip, since, time)) return mapped->name;
    if (!started || !next[-1].has_parent) return unknown;
    pid = next[-1].parent;
    time = since;
  }
  return unknown;
}

NameId Processes::name_at(const Sample& sample) const {
  bool in_kernel = sample.mode == misc::kernel;
  NameId name = find(in_kernel ? kernel_pid : sample.pid, sample.ip, sample.time);
  return name == unknown && in_kernel ? kernel : name;
}

// Those in which branches were counted: of a whole run, or where there are no samples.
std::vector<Program> counted_programs(Bytes branch_counts, bool has_samples) {
  auto counted = decode_branch_counts(branch_counts);
  if (!counted || (has_samples && !counted->of_whole_run())) return {};
  std::vector<Program> programs;
  for (const auto& file : counted->files)
    programs.push_back({.path = std::string(file.path), .build_id = hex(file.build_id)});
  for (const auto& branch : counted->branches)
    if (branch.from.file < programs.size()) programs[branch.from.file].samples += branch.count;
  for (auto& program : programs) program.samples /= counted->scale;
  std::erase_if(programs, [](const Program& program) { return program.samples == 0; });
  return programs;
}

}  // namespace

std::vector<Program> find_programs(const Recording& recording, unsigned threads) {
  Processes processes(recording);
  std::vector<std::vector<u64>> counts(worker_count(threads),
                                       std::vector<u64>(processes.names().size()));
  std::vector<ReadCounts> ignored(counts.size());
  ReadCounts unpacking;
  recording.for_each_piece(threads, unpacking, [&](const Piece& piece, unsigned worker) {
    Sample sample;
    RecordWalk walk(piece.records);
    for (Record record; walk.next(record);)
      if (record.type == RecordType::sample &&
          recording.parser().sample(record, sample, ignored[worker]))
        ++counts[worker][static_cast<u32>(processes.name_at(sample))];
  });
  bool has_samples = std::ranges::any_of(
      counts, [](const auto& part) { return std::ranges::any_of(part, std::identity{}); });
  auto programs = counted_programs(recording.features().branch_counts, has_samples);
  for (u32 i = 0; i < processes.names().size(); ++i) {
    Program program;
    for (const auto& part : counts) program.samples += part[i];
    if (!program.samples) continue;
    std::string_view name = processes.names().text(NameId(i));
    size_t newline = name.rfind('\n');
    program.path = name.substr(0, newline);
    program.build_id = name.substr(newline + 1);
    programs.push_back(std::move(program));
  }
  std::sort(programs.begin(), programs.end(), [](const Program& a, const Program& b) {
    return std::tie(b.samples, a.path, a.build_id) < std::tie(a.samples, b.path, b.build_id);
  });
  return programs;
}

}  // namespace pgokit::perf
