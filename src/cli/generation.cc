#include "cli/generation.h"

#include "base/cursor.h"
#include "generate/ambiguous.h"
#include "perf/script.h"
#include "profile/format.h"
#include "samples/raw_profile.h"
#include "samples/script_counts.h"

namespace pgokit::cli {
namespace {

Status read_recording(Bytes bytes, const binary::Program& program, const GenerationOptions& options,
                      ReadInput& input) {
  auto recording = TRY(perf::Recording::open(bytes));
  auto read = TRY(samples::count_recording(recording, program,
                                           {.ignore_build_id = options.ignore_build_id,
                                            .keep_wrong_path = options.keep_wrong_path,
                                            .pid = options.pid,
                                            .threads = options.threads}));
  input.counts = read.folder.counts();
  input.ranges = samples::diagnose(read.folder, program.code(), program.functions());
  input.use = read.use;
  input.unreadable = read.unreadable;
  input.matched_by_name = read.matched_by_name;
  if (!recording.ending().whole) input.cut_short = recording.ending().why;
  return {};
}

Status read_script(Bytes bytes, const binary::Program& program, const GenerationOptions& options,
                   ReadInput& input) {
  auto read = TRY(samples::count_script(as_text(bytes), program,
                                        {.pid = options.pid, .threads = options.threads}));
  if (read.hybrid && !options.flat_from_hybrid)
    return fail("context-sensitive profiles are not made yet: give --ignore-stack-samples");
  input.counts = read.folder.counts();
  input.ranges = samples::diagnose(read.folder, program.code(), program.functions());
  input.use = read.use;
  input.bad_chains = read.bad_chains;
  input.bad_branches = read.bad_branches;
  input.first_bad_line = read.first_bad_line;
  input.first_bad_text = std::move(read.first_bad_text);
  input.unparsable_events = read.unparsable_events;
  input.mapped = read.mapped;
  return {};
}

}  // namespace

Result<InputKind> detect_input(Bytes bytes) {
  if (bytes.empty()) return fail("it is empty");
  if (perf::Recording::recognizes(bytes)) return InputKind::recording;
  if (samples::looks_like_raw_profile(as_text(bytes))) return InputKind::raw;
  if (perf::detect_script(as_text(bytes)) != perf::ScriptKind::invalid) return InputKind::script;
  if (profile::sniff(bytes))
    return fail("a sample profile, not a recording\n  'pgokit show' tells what is in it");
  return fail("{}", perf::script_problem(as_text(bytes)));
}

BinaryAddr raw_base(const binary::Program& program, const GenerationOptions& options) {
  if (!options.raw_offsets) return {0};
  return options.raw_from_first_load ? program.first_load_base() : program.text_base();
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
      TRY_IN(file.path(), read_script(file.bytes(), program, options, input));
      break;
    case InputKind::raw:
      input.counts = TRY_IN(file.path(), samples::read_raw_profile(as_text(file.bytes()),
                                                                   raw_base(program, options)));
      break;
  }
  return input;
}

Result<Generated> generate_profile(const binary::Program& program, const ReadInput& input,
                                   const GenerationOptions& options) {
  auto flat = TRY(generate::generate_flat(program, input.counts, options.flat));
  Generated result{.profile = std::move(flat.profile), .summary = {}, .density = {}};
  result.probes_without_descriptor = flat.probes_without_descriptor;
  auto& profile = result.profile;

  result.summary = profile::summarize(profile);
  if (options.trim_cold) {
    u64 cold = result.summary.count_at(profile::cold_cutoff);
    profile.keep_if([&](const profile::Function& f) { return f.samples.total >= cold; });
  }
  generate::drop_ambiguous_functions(profile);
  profile.sort();
  // From here on the profile is what will be written.
  result.density = profile::density(profile);
  return result;
}

}  // namespace pgokit::cli
