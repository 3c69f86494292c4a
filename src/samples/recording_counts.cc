#include "samples/recording_counts.h"

#include <algorithm>

#include "base/parallel.h"
#include "perf/trace.h"
#include "report/numbers.h"
#include "samples/counted_branches.h"
#include "samples/recording_maps.h"
#include "samples/sample_walk.h"

namespace pgokit::samples {
namespace {

// One thread's share of the samples.
class SampleCounter {
 public:
  SampleCounter(const perf::Recording& recording, const program::Program& program,
                const ProgramMaps& maps, const RecordingOptions& options, const EventChoice& events)
      : folder(program.code()), walk(recording, maps, options, &events), options_(options) {}

  void read(Bytes records) {
    walk.for_each(records, use, [&](const perf::Sample& sample) { return add(sample); });
  }

  BranchFolder folder;
  SampleUse use;
  SampleWalk walk;

 private:
  Fate add(const perf::Sample& sample) {
    if (sample.branches.empty()) return Fate::without_branches;
    if (!walk.enter(sample)) return Fate::elsewhere;
    for (const auto& entry : sample.branches) {
      if (entry.wrong_path() && !options_.keep_wrong_path) {
        ++use.entries_wrong_path;
        continue;
      }
      if (options_.run_to_next_branch && entry.not_taken()) [[unlikely]]
        folder.not_taken(place(entry.to));
      else
        folder.entry(place(entry.from), place(entry.to));
    }
    auto added = folder.end_sample(1);
    Fate fate = added.used() ? Fate::used : Fate::not_in_program;
    use.note_stack(fate, sample.branches.size(), added.elsewhere);
    return fate;
  }

  BranchFolder::Place place(u64 address) const {
    BinaryAddr translated = walk.translate(address);
    return translated == external ? BranchFolder::outside() : folder.place_of(translated);
  }

  const RecordingOptions& options_;
};

}  // namespace

Status check_branch_stacks(const perf::Recording& recording) {
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
  if (auto trace = perf::trace_of(recording))
    return fail(
        "it holds {}, {}, not branch stacks: make them of it with '{}' on a machine with "
        "the programs that ran, then pgokit generate branches.perf",
        trace->name, report::file_size(trace->bytes), trace->command("RECORDING", "branches.perf"));
  return fail(
      "recorded without branch stacks; "
      "record again: pgokit record -- PROGRAM, or perf record -b -e cycles:u -- PROGRAM; "
      "or make a rougher profile of it as it is: pgokit generate --allow-ip");
}

Result<RecordingCounts> count_recording(const perf::Recording& recording,
                                        const program::Program& program,
                                        const RecordingOptions& options) {
  TRY(check_branch_stacks(recording));
  RecordingCounts result(program.code());

  auto mapped =
      map_program(recording, program, options.ignore_build_id, options.kernel, result.unreadable);
  const auto& maps = mapped.maps;
  result.matched_by_name = mapped.matched_by_name;
  result.other_build = mapped.other_build;
  result.mappings = mapped.mappings;
  if (maps.empty()) return result;
  result.events = TRY(choose_event(recording, EventUse::branches, options.event, options.threads));
  // From here on the mappings of all processes at all times are known.

  unsigned workers = worker_count(options.threads);
  std::vector<SampleCounter> counters(
      workers, SampleCounter(recording, program, maps, options, result.events));
  perf::ReadCounts unpacking;
  recording.for_each_piece(workers, unpacking, [&](const perf::Piece& piece, unsigned worker) {
    counters[worker].read(piece.records);
    if (options.progress) options.progress->advance(piece.records.size());
  });
  result.unreadable.add(unpacking);
  std::vector<BranchFolder> folders;
  for (auto& counter : counters) {
    folders.push_back(std::move(counter.folder));
    result.use.add(counter.use);
    result.unreadable.add(counter.walk.unreadable);
  }
  result.sums = merge(std::move(folders), options.threads);
  if (options.whole_counts && has_branch_counts(recording)) {
    auto counted = TRY(counted_branches(recording, program, maps, options.ignore_build_id));
    result.windows = counted.windows;
    result.all_counted = counted.all_counted;
    result.uncounted_stretches = counted.uncounted_stretches;
    result.part_of_run = counted.part_of_run;
    result.elsewhere = counted.elsewhere;
    result.sums = std::move(counted.sums);
  }
  if (options.run_to_next_branch && result.use.deepest == 1)
    result.sums.add_ranges_to_next_branch(program.functions());
  return result;
}

}  // namespace pgokit::samples
