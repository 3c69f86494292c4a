#include "cli/generation.h"

#include <algorithm>
#include <ranges>

#include "base/cursor.h"
#include "cli/hybrid_input.h"
#include "generate/ambiguous.h"
#include "perf/programs.h"
#include "perf/script.h"
#include "profile/format.h"
#include "report/numbers.h"
#include "samples/raw_profile.h"
#include "samples/script_counts.h"
#include "unwind/hybrid_recording.h"
#include "unwind/raw_contexts.h"

namespace pgokit::cli {
namespace {

bool is_file(const perf::Program& program) { return program.path.starts_with('/'); }

std::unexpected<Error> did_not_run(const perf::Recording& recording, const binary::Program& program,
                                   const std::string& other_build) {
  if (!other_build.empty())
    return fail(
        "it was recorded with another build of {}: build id {}, this program has {}; give the "
        "program that was recorded, or --ignore-build-id if its code is the same",
        program.name(), other_build, elf::hex(program.file().build_id()));
  constexpr size_t most = 3;
  auto programs = perf::find_programs(recording);
  u64 samples = 0;
  for (const auto& one : programs) samples += one.samples;
  std::string list;
  for (const auto& one : programs | std::views::take(most))
    list += fmt::format("{} {} of the samples are in {}{}", list.empty() ? ":" : ",",
                        report::percent(one.samples, samples), one.path,
                        one.build_id.empty() ? "" : ", build id " + one.build_id);
  return fail("{} was not running in it{}", program.name(), list);
}

Status read_flat_recording(const perf::Recording& recording, const binary::Program& program,
                           const samples::RecordingOptions& how, ReadInput& input) {
  auto read = TRY(samples::count_recording(recording, program, how));
  if (read.mappings == 0) return did_not_run(recording, program, read.other_build);
  input.counts = read.folder.counts();
  input.ranges = samples::diagnose(read.folder.raw_ranges(), program.code(), program.functions());
  input.use = read.use;
  input.unreadable = read.unreadable;
  input.matched_by_name = read.matched_by_name;
  return {};
}

Status read_recording(Bytes bytes, const binary::Program& program, const GenerationOptions& options,
                      ReadInput& input) {
  auto recording = TRY(perf::Recording::open(bytes));
  // What is in compressed records is not known before it is read.
  Progress progress("reading " + options.input, recording.is_compressed() ? 0 : bytes.size());
  samples::RecordingOptions how{.ignore_build_id = options.ignore_build_id,
                                .keep_wrong_path = options.keep_wrong_path,
                                .pid = options.pid,
                                .threads = options.threads,
                                .progress = &progress};
  if (!options.flat_from_hybrid && unwind::has_call_chains(recording)) {
    auto seen = TRY(read_hybrid_recording(recording, program, how, options, input));
    if (seen.mappings == 0) return did_not_run(recording, program, seen.other_build);
  } else {
    TRY(read_flat_recording(recording, program, how, input));
  }
  if (!recording.ending().whole) input.cut_short = recording.ending().why;
  return {};
}

Status read_script(std::string_view text, const binary::Program& program,
                   const GenerationOptions& options, ReadInput& input) {
  if (!options.flat_from_hybrid && perf::detect_script(text) == perf::ScriptKind::hybrid)
    return read_hybrid_script(text, program, options, input);
  Progress progress("reading " + options.input, text.size());
  auto read = TRY(samples::count_script(text, program,
                                        {.pid = options.pid,
                                         .kernel = options.kernel,
                                         .threads = options.threads,
                                         .progress = &progress}));
  input.counts = read.folder.counts();
  input.ranges = samples::diagnose(read.folder.raw_ranges(), program.code(), program.functions());
  input.use = read.use;
  input.bad_chains = read.bad_chains;
  input.mapped = read.facts.mapped;
  input.script = std::move(read.facts);
  return {};
}

Status read_raw(std::string_view text, const binary::Program& program,
                const GenerationOptions& options, ReadInput& input) {
  BinaryAddr base = raw_base(program, options);
  if (unwind::looks_like_raw_contexts(text)) {
    using Kind = unwind::ContextCounts::Kind;
    Kind kind = program.has_probes() ? Kind::probes : Kind::lines;
    input.contexts = TRY(unwind::read_raw_contexts(text, kind, program.code(), base)).counts;
  } else {
    input.counts = TRY(samples::read_raw_profile(text, base));
  }
  return {};
}

}  // namespace

Result<InputKind> detect_input(Bytes bytes) {
  if (bytes.empty()) return fail("it is empty");
  if (perf::Recording::recognizes(bytes)) return InputKind::recording;
  if (samples::looks_like_raw_profile(as_text(bytes))) return InputKind::raw;
  if (perf::detect_script(as_text(bytes)) != perf::ScriptKind::invalid) return InputKind::script;
  if (as_text(bytes).starts_with(ELFMAG))
    return fail("a program, not a recording (the program stands behind -b)");
  if (profile::sniff(bytes))
    return fail("a sample profile, not a recording ('pgokit show' tells what is in it)");
  return fail("{}", perf::script_problem(as_text(bytes)));
}

BinaryAddr raw_base(const binary::Program& program, const GenerationOptions& options) {
  if (!options.raw_offsets) return {0};
  return options.raw_from_first_load ? program.first_load_base() : program.text_base();
}

Result<std::string> dominant_program(const std::string& recording_path) {
  auto file = TRY(MappedFile::open(recording_path));
  auto kind = TRY_IN(file.path(), detect_input(file.bytes()));
  if (kind != InputKind::recording)
    return usage_error("-b is needed: {} does not tell which program was recorded", file.path());
  auto recording = TRY_IN(file.path(), perf::Recording::open(file.bytes()));
  auto programs = perf::find_programs(recording);
  auto first = std::ranges::find_if(programs, is_file);
  if (first == programs.end())
    return fail("{}: no program is known in it; give one with -b", file.path());
  return first->path;
}

Result<ReadInput> read_input(const binary::Program& program, const GenerationOptions& options) {
  auto file = TRY(MappedFile::open(options.input));
  ReadInput input;
  input.kind = options.kind ? *options.kind : TRY_IN(file.path(), detect_input(file.bytes()));
  switch (input.kind) {
    case InputKind::recording:
      TRY_IN(file.path(), read_recording(file.bytes(), program, options, input));
      break;
    case InputKind::script:
      TRY_IN(file.path(), read_script(as_text(file.bytes()), program, options, input));
      break;
    case InputKind::raw:
      TRY_IN(file.path(), read_raw(as_text(file.bytes()), program, options, input));
      break;
  }
  const auto& contexts = input.contexts;
  input.distinct_contexts = contexts ? contexts->size() : 0;
  input.distinct_ranges = contexts ? contexts->all_ranges().size() : input.counts.ranges.size();
  input.distinct_branches =
      contexts ? contexts->all_branches().size() : input.counts.branches.size();
  return input;
}

Result<Generated> generate_profile(const binary::Program& program, ReadInput& input,
                                   const GenerationOptions& options) {
  if (input.contexts) {
    auto context_options = options.contexts_made;
    context_options.threads = options.threads;
    context_options.update_totals = options.flat.update_totals;
    auto made = TRY(
        generate::generate_contexts(program, *std::exchange(input.contexts, {}), context_options));
    auto result = TRY(finish_profile(program, std::move(made.profile), options, &made.functions_hit,
                                     made.probe_table ? &made.probes : nullptr));
    result.probes_without_descriptor = made.probes_without_descriptor;
    return result;
  }
  auto flat_options = options.flat;
  flat_options.threads = options.threads;
  auto flat = TRY(generate::generate_flat(program, input.counts, flat_options));
  auto result = TRY(finish_profile(program, std::move(flat.profile), options));
  result.probes_without_descriptor = flat.probes_without_descriptor;
  return result;
}

Result<Generated> finish_profile(const binary::Program& program, profile::Profile made,
                                 const GenerationOptions& options,
                                 const std::vector<bool>* functions, const probe::Decoded* probes) {
  const auto& contexts = options.contexts;
  Generated result{.profile = std::move(made), .summary = {}, .density = {}};
  auto& profile = result.profile;
  result.summary = profile::summarize(profile);
  if (profile.flags.context_sensitive) {
    std::optional<generate::InlineSizes> sizes;
    if (contexts.needs_sizes())
      sizes = TRY(generate::inline_sizes(
          program, functions ? *functions : generate::functions_named(program.functions(), profile),
          probes, options.threads));
    post_process_contexts(profile, result.summary, sizes ? &*sizes : nullptr, contexts);
  } else if (contexts.trim_cold) {
    u64 cold = contexts.cold_threshold(result.summary);
    profile.keep_if([&](const profile::Function& f) { return f.samples.total >= cold; });
  }
  generate::drop_ambiguous_functions(profile);
  if (options.mark_to_be_inlined) generate::mark_all_to_be_inlined(profile);
  profile.sort();
  // From here on the profile is what will be written.
  result.density = profile::density(profile);
  return result;
}

}  // namespace pgokit::cli
