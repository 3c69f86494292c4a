#include "pipeline/generation.h"

#include <algorithm>
#include <ranges>

#include "base/cursor.h"
#include "base/parallel.h"
#include "generate/flat/lines.h"
#include "perf/programs.h"
#include "perf/script.h"
#include "pipeline/foreign_formats.h"
#include "pipeline/hybrid_input.h"
#include "pipeline/input_checks.h"
#include "profile/format.h"
#include "profile/model/each_function.h"
#include "report/numbers.h"
#include "samples/autofdo_text.h"
#include "samples/program_match.h"
#include "samples/raw_profile.h"
#include "samples/script_counts.h"
#include "transform/ambiguous.h"
#include "transform/context_summary.h"
#include "unwind/contexts/ip_contexts.h"
#include "unwind/contexts/merge_contexts.h"
#include "unwind/contexts/raw_contexts.h"
#include "unwind/hybrid_recording.h"

namespace pgokit::pipeline {
namespace {

std::unexpected<Error> did_not_run(const perf::Recording& recording,
                                   const program::Program& program, const std::string& other_build,
                                   bool kernel) {
  if (kernel && other_build.empty())
    return fail("Kernel is requested, but no kernel is found in mmap events.");
  if (!other_build.empty())
    return fail(
        "it was recorded with another build of {}: build id {}, this program has {}; give the "
        "program that was recorded, or --ignore-build-id if its code is the same",
        program.path(), other_build, object::hex(program.file().build_id()));
  constexpr size_t most = 3;
  auto programs = perf::find_programs(recording);
  u64 samples = 0;
  for (const auto& one : programs) samples += one.samples;
  std::string list;
  for (const auto& one : programs | std::views::take(most))
    list += fmt::format("{} {} of the samples are in {}{}", list.empty() ? ":" : ",",
                        report::percent(one.samples, samples), one.path,
                        one.build_id.empty() ? "" : ", build id " + one.build_id);
  return fail("{} was not running in it{}", program.path(), list);
}

Status read_flat_recording(const perf::Recording& recording, const program::Program& program,
                           const samples::RecordingOptions& how, const GenerationOptions& options,
                           ReadInput& input) {
  auto read = TRY(samples::count_recording(recording, program, how));
  if (read.mappings == 0) return did_not_run(recording, program, read.other_build, options.kernel);
  input.counts = read.sums.counts(options.threads);
  input.ranges = samples::diagnose(read.sums.raw_ranges(), program.code(), program.functions(),
                                   options.list_faults, options.threads);
  input.use = read.use;
  input.events = std::move(read.events);
  input.unreadable = read.unreadable;
  input.matched_by_name = read.matched_by_name;
  return {};
}

unwind::FrameRules frame_rules(const generate::ContextProfileOptions& options) {
  auto depth = static_cast<u64>(options.max_depth);  // negative: larger than all
  return {.longest_recursion = options.compress_recursion,
          .max_depth = static_cast<u32>(std::min<u64>(depth, ~u32{0}))};
}

// Counts are estimated where there are no branch stacks, and divided by context where that is
// wanted.
template <class Count>
Status estimate_from_ips(const program::Program& program, const GenerationOptions& options,
                         ReadInput& input, samples::IpRead& read, const Count& count) {
  bool by_context = !options.flat_from_hybrid;
  unwind::IpContexts contexts(program, worker_count(options.threads));
  read = TRY(count(by_context ? contexts.each() : samples::EachChain{}));
  auto estimate = samples::estimate_counts(program.code(), program.functions(),
                                           read.counter.counts(), options.threads);
  if (by_context && read.has_chains)
    input.contexts = contexts.divide(estimate.counts, frame_rules(options.contexts_made));
  else
    input.counts = std::move(estimate.counts);
  input.ip_only = estimate.quality;
  input.has_chains = read.has_chains;
  input.use = read.use;
  input.events = std::move(read.events);
  input.unreadable = read.unreadable;
  input.matched_by_name = read.matched_by_name;
  return {};
}

Status read_open_recording(const perf::Recording& recording, Bytes bytes,
                           const program::Program& program, const GenerationOptions& options,
                           ReadInput& input) {
  // What is in compressed records is not known before it is read.
  Progress progress("reading", recording.is_compressed() ? 0 : bytes.size(), options.progress);
  samples::RecordingOptions how{.ignore_build_id = options.ignore_build_id,
                                .keep_wrong_path = options.keep_wrong_path,
                                .pid = options.pid,
                                .kernel = options.kernel,
                                .event = options.event,
                                .run_to_next_branch = options.run_to_next_branch,
                                .threads = options.threads,
                                .progress = &progress};
  if (options.allow_ip && samples::is_without_branches(recording)) {
    samples::IpRead read(program);
    TRY(estimate_from_ips(program, options, input, read, [&](const samples::EachChain& each) {
      return samples::count_ips(recording, program, how, each);
    }));
    if (read.mappings == 0)
      return did_not_run(recording, program, read.other_build, options.kernel);
  } else if (!options.flat_from_hybrid && unwind::has_call_chains(recording)) {
    auto seen = TRY(read_hybrid_recording(recording, program, how, options, input));
    if (seen.mappings == 0)
      return did_not_run(recording, program, seen.other_build, options.kernel);
  } else {
    TRY(read_flat_recording(recording, program, how, options, input));
  }
  return {};
}

// What is missing at the end may be why the rest cannot be used.
Status read_recording(Bytes bytes, const program::Program& program,
                      const GenerationOptions& options, ReadInput& input) {
  auto recording = TRY(perf::Recording::open(bytes, options.threads));
  if (!recording.ending().whole) input.cut_short = recording.ending().why;
  auto read = read_open_recording(recording, bytes, program, options, input);
  if (!read) read.error().message.insert(0, not_whole(input.cut_short));
  return read;
}

// llvm-profgen's command takes what that tool takes.
perf::ScriptKind script_kind(std::string_view text, const GenerationOptions& options) {
  return options.kind ? perf::detect_script(text) : perf::detect_text(text);
}

// Text with samples of both kinds, of two events perhaps, is read as that of its first sample.
void look_for_other_kind(std::string_view text, perf::ScriptKind kind, ReadInput& input) {
  if (perf::has_columns(kind)) return;
  bool dropped = kind == perf::ScriptKind::hybrid ? input.script.bad_frames > 0
                                                  : input.use.without_branches > 0;
  if (dropped) input.other_kind_line = perf::other_kind_line(text, kind);
}

Status check_no_event(const GenerationOptions& options, std::string_view kind) {
  if (!options.event || options.event->empty()) return {};
  return usage_error("--event {}: the events of {} are not told apart; give the recording itself",
                     *options.event, kind);
}

Status read_script(std::string_view text, const program::Program& program,
                   const GenerationOptions& options, ReadInput& input) {
  auto kind = script_kind(text, options);
  if (options.allow_ip && kind == perf::ScriptKind::invalid) {
    if (options.kernel)
      return usage_error(
          "--kernel: text without branch stacks does not tell where the kernel was loaded; give "
          "the recording itself");
    samples::IpRead read(program);
    return estimate_from_ips(program, options, input, read, [&](const samples::EachChain& each) {
      return samples::count_ip_script(text, program, {.pid = options.pid, .event = options.event},
                                      each);
    });
  }
  TRY(check_no_event(options, "text with branch stacks"));
  if (!options.flat_from_hybrid && perf::has_chains(kind))
    return read_hybrid_script(text, program, options, input);
  Progress progress("reading", text.size(), options.progress);
  auto read = TRY(samples::count_script(text, program,
                                        {.pid = options.pid,
                                         .kernel = options.kernel,
                                         .llvm_profgen = options.kind.has_value(),
                                         .run_to_next_branch = options.run_to_next_branch,
                                         .threads = options.threads,
                                         .progress = &progress}));
  input.counts = read.sums.counts(options.threads);
  input.ranges = samples::diagnose(read.sums.raw_ranges(), program.code(), program.functions(),
                                   options.list_faults, options.threads);
  input.use = read.use;
  input.bad_chains = read.bad_chains;
  input.unwound.begun = read.begun;
  input.unwound.outside_leaves = read.outside_leaves;
  input.mapped = read.facts.mapped;
  input.script = std::move(read.facts);
  return {};
}

Status read_raw(std::string_view text, const program::Program& program,
                const GenerationOptions& options, ReadInput& input) {
  TRY(check_no_event(options, "a raw profile"));
  BinaryAddr base = raw_base(program, options);
  if (samples::looks_like_autofdo_text(text)) {
    auto all = TRY(samples::read_autofdo_text(text));
    auto offsets = TRY(samples::autofdo_counts_of(std::move(all), program.name(),
                                                  object::hex(program.file().build_id()),
                                                  options.ignore_build_id));
    input.counts = samples::placed_autofdo_counts(offsets, program);
  } else if (unwind::looks_like_raw_contexts(text)) {
    using Kind = unwind::ContextCounts::Kind;
    Kind kind = program.has_probes() ? Kind::probes : Kind::lines;
    input.contexts = TRY(unwind::read_raw_contexts(text, kind, program.code(), base)).counts;
  } else {
    input.counts = TRY(samples::read_raw_profile(text, base));
  }
  return {};
}

Result<ReadInput> read_one(const std::string& path, const program::Program& program,
                           const GenerationOptions& options) {
  auto file = TRY(MappedFile::open(path));
  ReadInput input;
  input.files = 1;
  input.bytes = file.bytes().size();
  input.kind =
      options.kind ? *options.kind : TRY_IN(path, detect_input(file.bytes(), options.allow_ip));
  switch (input.kind) {
    case InputKind::recording:
      TRY_IN(path, read_recording(file.bytes(), program, options, input));
      break;
    case InputKind::script:
      TRY_IN(path, read_script(as_text(file.bytes()), program, options, input));
      look_for_other_kind(as_text(file.bytes()), script_kind(as_text(file.bytes()), options),
                          input);
      break;
    case InputKind::raw:
      TRY_IN(path, read_raw(as_text(file.bytes()), program, options, input));
      break;
  }
  return input;
}

void add(samples::ScriptFacts&& more, samples::ScriptFacts& all) {
  if (all.bad_branches == 0) {
    all.first_bad_line = more.first_bad_line;
    all.first_bad_text = std::move(more.first_bad_text);
  }
  all.bad_frames += more.bad_frames;
  all.bad_branches += more.bad_branches;
  all.unparsable_events += more.unparsable_events;
}

Status add(ReadInput&& more, ReadInput& all) {
  if (more.contexts.has_value() != all.contexts.has_value())
    return fail(
        "it has {} and the inputs before it have {}: make a profile of each kind, or a flat one of "
        "all",
        more.contexts ? "call chains" : "no call chains", more.contexts ? "none" : "them");
  if (all.contexts)
    unwind::merge(*all.contexts, *more.contexts);
  else
    samples::merge(all.counts, more.counts);
  if (more.ip_only) {
    if (!all.ip_only) all.ip_only.emplace();
    all.ip_only->add(*more.ip_only);
  }
  all.has_chains |= more.has_chains;
  all.use.add(more.use);
  all.events.add(std::move(more.events));
  all.ranges.add(more.ranges);
  all.unwound.add(more.unwound);
  all.unreadable.add(more.unreadable);
  add(std::move(more.script), all.script);
  all.bad_chains += more.bad_chains;
  if (all.other_kind_line == 0) all.other_kind_line = more.other_kind_line;
  all.mapped &= more.mapped;
  all.matched_by_name |= more.matched_by_name;
  if (all.cut_short.empty()) all.cut_short = std::move(more.cut_short);
  all.files += more.files;
  all.bytes += more.bytes;
  return {};
}

}  // namespace

Result<InputKind> detect_input(Bytes bytes, bool allow_ip) {
  if (bytes.empty()) return fail("it is empty");
  if (perf::Recording::recognizes(bytes)) return InputKind::recording;
  if (samples::looks_like_raw_profile(as_text(bytes)) ||
      samples::looks_like_autofdo_text(as_text(bytes)))
    return InputKind::raw;
  if (perf::detect_text(as_text(bytes)) != perf::ScriptKind::invalid) return InputKind::script;
  if (as_text(bytes).starts_with(ELFMAG))
    return fail("a program, not a recording (the program stands behind -b)");
  if (profile::sniff(bytes))
    return fail("a sample profile, not a recording ('pgokit show' tells what is in it)");
  if (auto what = foreign_format(bytes); !what.empty()) return fail("{}", what);
  if (samples::looks_like_ip_script(as_text(bytes))) {
    if (allow_ip) return InputKind::script;
    return fail(
        "has no branch stacks; record with 'pgokit record' or perf record -b, and print it with "
        "perf script -F ip,brstack --show-mmap-events; --allow-ip makes a rougher profile of it as "
        "it is");
  }
  return fail("{}", perf::script_problem(as_text(bytes)));
}

BinaryAddr raw_base(const program::Program& program, const GenerationOptions& options) {
  if (!options.raw_offsets) return {0};
  return options.raw_from_first_load ? program.first_load_base() : program.text_base();
}

Result<ReadInput> read_input(const program::Program& program, const GenerationOptions& options) {
  ReadInput all;
  for (const auto& path : options.inputs) {
    options.stage("reading " + std::string(samples::file_name(path)));
    auto input = TRY(read_one(path, program, options));
    if (all.files == 0)
      all = std::move(input);
    else
      TRY_IN(path, add(std::move(input), all));
  }
  const auto& contexts = all.contexts;
  all.distinct_contexts = contexts ? contexts->size() : 0;
  all.distinct_ranges = contexts ? contexts->all_ranges().size() : all.counts.ranges.size();
  all.distinct_branches = contexts ? contexts->all_branches().size() : all.counts.branches.size();
  return all;
}

Result<std::vector<samples::VtableAccess>> read_data_accesses(const program::Program& program,
                                                              const ReadInput& input,
                                                              const GenerationOptions& options) {
  if (options.data_accesses.empty()) return std::vector<samples::VtableAccess>();
  if (program.has_probes() || input.contexts)
    return fail(
        "Symbolizing vtables from data access profiles is not yet supported for context-sensitive "
        "perf traces or when pseudo-probe based mapping is enabled.");
  auto file = MappedFile::open(options.data_accesses);
  if (!file) return fail("Failed to open perf trace file: {}", options.data_accesses);
  samples::DataAccessOptions how{.pid = options.pid};
  if (input.kind == InputKind::script && input.mapped) how.base = input.script.base;
  return samples::read_vtable_accesses(as_text(file->bytes()), program, how);
}

void forget_contexts(const program::Program& program, ReadInput& input) {
  if (!input.contexts) return;
  auto address = [&](program::CodeIndex index) {
    return index == program::no_code ? samples::external : program.code().address_of(index);
  };
  for (const auto& range : input.contexts->all_ranges())
    input.counts.ranges.push_back({address(range.first), address(range.last), range.count});
  for (const auto& branch : input.contexts->all_branches())
    input.counts.branches.push_back({address(branch.from), address(branch.to), branch.count});
  samples::normalize(input.counts);
  input.contexts.reset();
}

namespace {

// From here on the profile is what will be written.
void complete(Generated& result, const GenerationOptions& options) {
  transform::drop_ambiguous_functions(result.profile, options.threads);
  if (options.mark_to_be_inlined) transform::mark_all_to_be_inlined(result.profile);
  for_each_function(result.profile, options.threads,
                    [](profile::Function& function) { function.samples.sort(); });
  result.density =
      profile::density(result.profile, static_cast<u32>(options.density_cutoff), options.threads);
}

Result<Generated> finish_contexts(const program::Program& program, generate::ContextResult& made,
                                  const GenerationOptions& options) {
  options.stage("post-processing");
  Generated result;
  result.summary = transform::summarize(made.samples, options.threads);
  std::optional<transform::InlineSizes> sizes;
  if (options.contexts.needs_sizes())
    sizes = TRY(transform::inline_sizes(
        program, made.functions_hit, made.probe_table ? &made.probes : nullptr, options.threads));
  result.profile = transform::post_process_contexts(std::move(made.samples), result.summary,
                                                    sizes ? &*sizes : nullptr, options.contexts,
                                                    options.threads);
  complete(result, options);
  return result;
}

}  // namespace

Result<Generated> generate_profile(const program::Program& program, ReadInput& input,
                                   const GenerationOptions& options) {
  options.stage("profile");
  release(program.file().image());  // of its code, nothing is decoded any more
  if (input.contexts) {
    auto context_options = options.contexts_made;
    context_options.threads = options.threads;
    context_options.update_totals = options.flat.update_totals;
    auto made = TRY(
        generate::generate_contexts(program, *std::exchange(input.contexts, {}), context_options));
    auto result = TRY(finish_contexts(program, made, options));
    result.probes_without_descriptor = made.probes_without_descriptor;
    result.probe_damage = made.probe_damage;
    return result;
  }
  auto flat_options = options.flat;
  flat_options.threads = options.threads;
  auto flat = TRY(generate::generate_flat(program, std::exchange(input.counts, {}), flat_options));
  generate::add_vtable_samples(program, input.vtables, flat.profile);
  auto result = TRY(finish_profile(program, std::move(flat.profile), options));
  result.probes_without_descriptor = flat.probes_without_descriptor;
  result.probe_damage = flat.probe_damage;
  return result;
}

Result<Generated> finish_profile(const program::Program& program, profile::Profile made,
                                 const GenerationOptions& options) {
  options.stage("post-processing");
  const auto& contexts = options.contexts;
  Generated result{.profile = std::move(made), .summary = {}, .density = {}};
  auto& profile = result.profile;
  result.summary = profile::summarize(profile, false, options.threads);
  if (profile.flags.context_sensitive) {
    std::optional<transform::InlineSizes> sizes;
    if (contexts.needs_sizes())
      sizes = TRY(transform::inline_sizes(program,
                                          transform::functions_named(program.functions(), profile),
                                          nullptr, options.threads));
    post_process_contexts(profile, result.summary, sizes ? &*sizes : nullptr, contexts);
  } else if (contexts.trim_cold) {
    u64 cold = contexts.cold_threshold(result.summary);
    profile.keep_if([&](const profile::Function& f) { return f.samples.total >= cold; });
  }
  complete(result, options);
  return result;
}

}  // namespace pgokit::pipeline
