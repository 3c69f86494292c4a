// perf.data: branch stacks, with or without call chains; or neither, for an estimate.

#include "perf/recording.h"

#include "bolt/recording_traces.h"
#include "perf/branch_counts.h"
#include "perf/programs.h"
#include "pipeline/estimate.h"
#include "pipeline/find_program.h"
#include "pipeline/hybrid.h"
#include "pipeline/input_checks.h"
#include "pipeline/provenance.h"
#include "pipeline/read_input.h"
#include "pipeline/several_programs.h"
#include "samples/counted_branches.h"
#include "samples/program_match.h"
#include "samples/program_places.h"
#include "samples/recording_counts.h"
#include "unwind/counted_contexts.h"
#include "unwind/hybrid_recording.h"

namespace pgokit::pipeline {
namespace {

std::unexpected<Error> did_not_run(const perf::Recording& recording, const Source& source,
                                   const std::string& other_build) {
  const auto& program = source.program;
  if (source.options.kernel && other_build.empty())
    return samples::no_kernel_mapped(source.options.llvm_profgen);
  auto programs = perf::find_programs(recording);
  if (!other_build.empty()) {
    auto ran = std::ranges::find(programs, other_build, &perf::Program::build_id);
    auto where = ran == programs.end() || ran->path == program.path() ? "" : ", " + ran->path;
    return fail(
        "it was recorded with another build of {}{}: build id {}, this program has {}; give the "
        "program that was recorded, or --ignore-build-id if its code is the same{}",
        program.path(), where, other_build, object::hex(program.file().build_id()),
        where.empty() || !samples::is_library(ran->path)
            ? ""
            : "; LD_LIBRARY_PATH says which library of a name a program loads");
  }
  if (programs.empty()) return fail("{}", samples::no_samples);
  return fail("{} was not running in it: {}; {}", program.path(), what_ran(programs),
              source.options.ignore_build_id
                  ? "another build is known by the name of its file: give it under that name"
                  : "give the program that was recorded");
}

bool made_by_pgokit(const perf::Recording& recording) {
  const auto& command = recording.features().cmdline;
  return !command.empty() && command[0] == "pgokit";
}

// What all ways to count a recording tell of it.
template <class Read>
Status take_facts(Read& read, const perf::Recording& recording, const Source& source,
                  ReadInput& input) {
  if (read.mappings == 0) return did_not_run(recording, source, read.other_build);
  input.use = read.use;
  input.events = std::move(read.events);
  input.unreadable = read.unreadable;
  input.matched_by_name = read.matched_by_name;
  return {};
}

// For BOLT, which wants branches together with what ran after them.
Status read_traces(const perf::Recording& recording, const Source& source,
                   const samples::RecordingOptions& how, ReadInput& input) {
  SharedReading alone({&source.program});
  auto& reading = source.options.shared ? *source.options.shared : alone;
  if (source.options.allow_ip && samples::is_without_branches(recording)) {
    auto read = TRY(reading.addresses(source.path, source.program, [&](bolt::Programs programs) {
      return bolt::read_addresses(recording, programs, how);
    }));
    input.addresses = std::move(read.counts);
    input.address_events = std::move(read.event_names);
    return take_facts(read, recording, source, input);
  }
  auto read = TRY(reading.traces(source.path, source.program, [&](bolt::Programs programs) {
    return bolt::read_traces(recording, programs, how);
  }));
  input.traces = std::move(read.traces);
  return take_facts(read, recording, source, input);
}

Status count(const perf::Recording& recording, const Source& source,
             const samples::RecordingOptions& how, ReadInput& input) {
  const auto& [path, bytes, program, options] = source;
  bool counted = how.whole_counts && samples::has_branch_counts(recording);
  if (options.traces && !counted) return read_traces(recording, source, how, input);
  if (options.allow_ip && samples::is_without_branches(recording)) {
    auto read = TRY(estimate_from_ips(program, options, input, [&](const auto& each) {
      return samples::count_ips(recording, program, how, each);
    }));
    return take_facts(read, recording, source, input);
  }
  if (options.by_context && how.whole_counts) TRY(unwind::check_counted_contexts(recording));
  if (options.by_context && how.whole_counts && unwind::has_counted_contexts(recording)) {
    auto read =
        TRY(unwind::read_counted_contexts(recording, program, hybrid_rules(program, options), how));
    TRY(take_facts(read, recording, source, input));
    auto counts = TRY_IN(path, perf::decode_branch_counts(recording.features().branch_counts));
    input.all_counted = true;
    input.uncounted_stretches = counts.uncounted_stretches();
    input.part_of_run = counts.part_of_run;
    take_contexts(std::move(read), input);
    return {};
  }
  if (options.by_context && unwind::has_call_chains(recording)) {
    auto read =
        TRY(unwind::unwind_recording(recording, program, hybrid_rules(program, options), how));
    TRY(take_facts(read, recording, source, input));
    take_contexts(std::move(read), input);
    return {};
  }
  auto read = TRY(samples::count_recording(recording, program, how));
  TRY(take_facts(read, recording, source, input));
  input.windows = read.windows;
  input.all_counted = read.all_counted;
  input.uncounted_stretches = read.uncounted_stretches;
  input.part_of_run = read.part_of_run;
  input.counted_elsewhere = read.elsewhere;
  input.counts = read.sums.counts(options.threads);
  input.ranges = samples::diagnose(read.sums.raw_ranges(), program.code(), program.functions(),
                                   options.list_faults, options.threads);
  return {};
}

// What counts all that runs adds its processes up.
Status check_pid(const perf::Recording& recording, std::optional<u32> pid) {
  const auto& counts = recording.features().branch_counts;
  if (!pid || counts.empty()) return {};
  auto decoded = perf::decode_branch_counts(counts);
  if (!decoded || !decoded->of_all()) return {};
  return fail(
      "--pid: its counts are those of all processes of a run (--exact): record this one "
      "alone, by pgokit record -p or --only");
}

Status read(const Source& source, ReadInput& into) {
  const auto& options = source.options;
  ReadInput input;
  auto recording = TRY(perf::Recording::open(source.bytes, options.threads));
  TRY(check_pid(recording, options.pid));
  input.cut_short = recording.damage();
  input.by_pgokit = made_by_pgokit(recording);
  input.origins = {origin_of(recording)};
  // What is in compressed records is not known before it is read.
  Progress progress("reading", recording.is_compressed() ? 0 : source.bytes.size(),
                    options.progress);
  auto counted = count(recording, source,
                       {.ignore_build_id = options.ignore_build_id,
                        .keep_wrong_path = options.keep_wrong_path,
                        .pid = options.pid,
                        .kernel = options.kernel,
                        .event = options.event,
                        .run_to_next_branch = options.run_to_next_branch,
                        .whole_counts = !options.llvm_profgen && !options.pid,
                        .threads = options.threads,
                        .progress = &progress},
                       input);
  // What is missing at the end may be why the rest cannot be used.
  if (!counted) {
    auto& why = counted.error().message;
    why =
        why == samples::no_samples ? nothing_in(input.cut_short) : not_whole(input.cut_short) + why;
  }
  TRY(counted);
  return add(std::move(input), into);
}

}  // namespace

const Input inputs::recording{
    .name = "a recording", .sniff = perf::Recording::recognizes, .read = read, .of_samples = true};

}  // namespace pgokit::pipeline
