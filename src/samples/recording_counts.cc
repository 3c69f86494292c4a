#include "samples/recording_counts.h"

#include <algorithm>

#include "base/parallel.h"
#include "samples/program_maps.h"
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
  ChangeReader(const perf::Recording& recording, const binary::Program& program,
               const RecordingOptions& options, perf::ReadCounts& counts)
      : parser_(recording.parser()),
        match_(program.name(), program.file().build_id(), recording.features().build_ids),
        options_(options),
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
      other_build = elf::hex(match_.recorded_id(mapping));
    bool of_program = verdict == ProgramMatch::Verdict::program ||
                      (verdict == ProgramMatch::Verdict::other_build && options_.ignore_build_id);
    if (of_program && match_.recorded_id(mapping).empty()) by_name = true;
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
  const RecordingOptions& options_;
  perf::ReadCounts& counts_;
  std::vector<Change> changes_;
};

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

// One thread's share of the samples.
class SampleCounter {
 public:
  SampleCounter(const perf::Recording& recording, const binary::Program& program,
                const ProgramMaps& maps, const RecordingOptions& options)
      : folder(program.code()), parser_(recording.parser()), lookup_(maps), options_(options) {}

  void read(Bytes records) {
    perf::RecordWalk walk(records);
    perf::Sample sample;
    for (Record record; walk.next(record);) {
      if (record.type != RecordType::sample) continue;
      ++use.samples;
      if (parser_.sample(record, sample, unreadable))
        add(sample);
      else
        ++use.unreadable;
    }
  }

  BranchFolder folder;
  SampleUse use;
  perf::ReadCounts unreadable;

 private:
  void add(const perf::Sample& sample) {
    if (sample.branches.empty()) return void(++use.without_branches);
    bool wanted = !options_.pid || *options_.pid == sample.pid;
    if (!wanted || !lookup_.enter(sample.pid, sample.time)) return void(++use.elsewhere);
    auto stack = folder.stack(1);
    for (const auto& entry : sample.branches) {
      if (entry.wrong_path() && !options_.keep_wrong_path) {
        ++use.entries_wrong_path;
        continue;
      }
      auto from = place(entry.from), to = place(entry.to);
      use.entries_elsewhere += from == BranchFolder::outside() && to == BranchFolder::outside();
      stack.add(from, to);
    }
    if (!stack.used()) return void(++use.not_in_program);
    ++use.used;
    use.entries += sample.branches.size();
  }

  BranchFolder::Place place(u64 address) const {
    BinaryAddr translated = lookup_.translate({address});
    return translated == external ? BranchFolder::outside() : folder.locate(translated);
  }

  const perf::Parser& parser_;
  ProgramMaps::Lookup lookup_;
  const RecordingOptions& options_;
};

Status check_events(const perf::Recording& recording) {
  bool any = false;
  for (const auto& event : recording.events()) {
    if (!(event.attr.sample_type & perf::field::branch_stack)) continue;
    if (event.attr.branch_sample_type & perf::branch::call_stack)
      return fail(
          "its branch stacks are call stacks (perf record --call-graph lbr), not branch history; "
          "record again: pgokit record -- PROGRAM, or perf record -b -e cycles:u -- PROGRAM");
    any = true;
  }
  if (any) return {};
  return fail(
      "recorded without branch stacks; "
      "record again: pgokit record -- PROGRAM, or perf record -b -e cycles:u -- PROGRAM");
}

}  // namespace

void SampleUse::add(const SampleUse& other) {
  samples += other.samples;
  used += other.used;
  without_branches += other.without_branches;
  elsewhere += other.elsewhere;
  not_in_program += other.not_in_program;
  unreadable += other.unreadable;
  entries += other.entries;
  entries_elsewhere += other.entries_elsewhere;
  entries_wrong_path += other.entries_wrong_path;
}

Result<RecordingCounts> count_recording(const perf::Recording& recording,
                                        const binary::Program& program,
                                        const RecordingOptions& options) {
  TRY(check_events(recording));
  RecordingCounts result(program.code());

  ChangeReader reader(recording, program, options, result.unreadable);
  recording.for_each_other([&](const Record& record) { reader.read(record); });
  result.matched_by_name = reader.by_name;
  result.other_build = reader.other_build;
  ProgramMaps maps(program.file());
  result.mappings = apply_changes(std::move(reader).changes(), maps);
  if (maps.empty()) return result;
  // From here on the mappings of all processes at all times are known.

  unsigned workers = worker_count(options.threads);
  std::vector<SampleCounter> counters(workers, SampleCounter(recording, program, maps, options));
  perf::ReadCounts unpacking;
  recording.for_each_piece(workers, unpacking, [&](const perf::Piece& piece, unsigned worker) {
    counters[worker].read(piece.records);
    if (options.progress) options.progress->advance(piece.records.size());
  });
  result.unreadable.add(unpacking);
  for (const auto& counter : counters) {
    result.folder.merge(counter.folder);
    result.use.add(counter.use);
    result.unreadable.add(counter.unreadable);
  }
  return result;
}

}  // namespace pgokit::samples
