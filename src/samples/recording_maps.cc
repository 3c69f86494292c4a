#include "samples/recording_maps.h"

#include <algorithm>

#include "samples/program_match.h"

namespace pgokit::samples {
namespace {

using perf::Record;
using perf::RecordType;

// What changes the mappings of processes. Records of different processors come out of order.
struct Change {
  enum Kind : u8 { map, fork, exec } kind;
  bool of_program = false;
  u32 pid = 0, parent = 0;
  u64 time = 0;
  ProgramMaps::Mapping mapping;
};

class ChangeReader {
 public:
  ChangeReader(const perf::Recording& recording, const program::Program& program, bool any_build,
               perf::ReadCounts& counts)
      : parser_(recording.parser()),
        match_(program.name(), program.file().build_id(), recording.features().build_ids),
        has_id_(!program.file().build_id().empty()),
        any_build_(any_build),
        counts_(counts) {}

  void read(const Record& record) {
    switch (record.type) {
      case RecordType::mmap:
      case RecordType::mmap2:
        return read_mapping(record);
      case RecordType::fork:
        return read_fork(record);
      case RecordType::comm:
        return read_comm(record);
      default:
        return;
    }
  }

  // Ascending by time.
  std::vector<Change> changes() && {
    std::ranges::stable_sort(changes_, {}, &Change::time);
    return std::move(changes_);
  }

  std::string other_build;  // the id of a program of the same name; empty: none seen
  bool by_name = false;

 private:
  void read_mapping(const Record& record) {
    perf::Mapping mapping;
    if (!parser_.mapping(record, mapping, counts_) || !mapping.executable || mapping.pid < 0)
      return;
    auto verdict = match_(mapping);
    if (verdict == ProgramMatch::Verdict::other_build)
      other_build = object::hex(match_.recorded_id(mapping));
    bool of_program = verdict == ProgramMatch::Verdict::program ||
                      (verdict == ProgramMatch::Verdict::other_build && any_build_);
    by_name |= of_program && (!has_id_ || match_.recorded_id(mapping).empty());
    changes_.push_back({Change::map,
                        of_program,
                        static_cast<u32>(mapping.pid),
                        0,
                        mapping.by.time,
                        {mapping.start, mapping.size, mapping.file_offset}});
  }

  void read_fork(const Record& record) {
    perf::Fork fork;
    if (!parser_.fork(record, fork, counts_) || fork.pid == fork.parent_pid) return;
    changes_.push_back({Change::fork, false, fork.pid, fork.parent_pid, fork.time, {}});
  }

  void read_comm(const Record& record) {
    perf::Comm comm;
    if (!parser_.comm(record, comm, counts_) || !comm.exec) return;
    changes_.push_back({Change::exec, false, comm.pid, 0, comm.by.time, {}});
  }

  const perf::Parser& parser_;
  ProgramMatch match_;
  bool has_id_;
  bool any_build_;
  perf::ReadCounts& counts_;
  std::vector<Change> changes_;
};

// Of several mappings the last one holds.
RecordedMaps map_kernel(const perf::Recording& recording, const program::Program& program,
                        bool any_build, perf::ReadCounts& counts) {
  RecordedMaps found{.maps = ProgramMaps(program.file())};
  Bytes id = program.file().build_id();
  ProgramMatch match(program.name(), id, recording.features().build_ids, true);
  recording.for_each_other([&](const Record& record) {
    perf::Mapping mapping;
    bool maps_code = record.type == RecordType::mmap || record.type == RecordType::mmap2;
    if (!maps_code || !recording.parser().mapping(record, mapping, counts)) return;
    auto verdict = match(mapping);
    if (verdict == ProgramMatch::Verdict::other_program) return;
    Bytes recorded = match.recorded_id(mapping);
    if (verdict == ProgramMatch::Verdict::other_build) {
      found.other_build = object::hex(recorded);
      if (!any_build) return;
    }
    found.matched_by_name |= recorded.empty() || id.empty();
    ++found.mappings;
    found.maps.map_kernel(mapping.start);
  });
  return found;
}

u64 apply_changes(const std::vector<Change>& changes, ProgramMaps& maps) {
  u64 mappings = 0;
  for (const auto& change : changes) {
    switch (change.kind) {
      case Change::map:
        mappings += maps.map(change.pid, change.time, change.mapping, change.of_program) &&
                    change.of_program;
        break;
      case Change::fork:
        maps.fork(change.pid, change.parent, change.time);
        break;
      case Change::exec:
        maps.exec(change.pid, change.time);
        break;
    }
  }
  return mappings;
}

}  // namespace

RecordedMaps map_program(const perf::Recording& recording, const program::Program& program,
                         bool any_build, bool kernel, perf::ReadCounts& counts) {
  if (kernel) return map_kernel(recording, program, any_build, counts);
  ChangeReader reader(recording, program, any_build, counts);
  recording.for_each_other([&](const Record& record) { reader.read(record); });
  RecordedMaps found{.maps = ProgramMaps(program.file())};
  found.matched_by_name = reader.by_name;
  found.other_build = reader.other_build;
  found.mappings = apply_changes(std::move(reader).changes(), found.maps);
  return found;
}

}  // namespace pgokit::samples
