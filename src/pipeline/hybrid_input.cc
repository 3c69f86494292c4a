#include "pipeline/hybrid_input.h"

#include "unwind/hybrid_recording.h"
#include "unwind/hybrid_script.h"

namespace pgokit::pipeline {
namespace {

unwind::HybridRules rules_of(const program::Program& program, const GenerationOptions& options) {
  return {.by_frames = !program.has_probes(),
          .longest_recursion = options.contexts_made.compress_recursion,
          .max_depth = options.contexts_made.max_depth,
          .max_unsymbolized_depth = options.max_unsymbolized_depth,
          .list_faults = options.list_faults};
}

void take(unwind::HybridCounts&& read, ReadInput& input) {
  input.contexts = std::move(read.counts);
  input.unwound = std::move(read.facts);
  input.ranges = std::move(read.ranges);
  input.use = read.use;
  input.bad_chains = read.bad_chains;
}

}  // namespace

Status read_hybrid_script(std::string_view text, const program::Program& program,
                          const GenerationOptions& options, ReadInput& input) {
  Progress progress("reading", text.size(), options.progress);
  auto read = TRY(unwind::unwind_script(text, program, rules_of(program, options),
                                        {.pid = options.pid,
                                         .kernel = options.kernel,
                                         .llvm_profgen = options.kind.has_value(),
                                         .threads = options.threads,
                                         .progress = &progress}));
  input.mapped = read.script.mapped;
  input.script = std::move(read.script);
  take(std::move(read), input);
  return {};
}

Result<ProgramSeen> read_hybrid_recording(const perf::Recording& recording,
                                          const program::Program& program,
                                          const samples::RecordingOptions& how,
                                          const GenerationOptions& options, ReadInput& input) {
  auto read = TRY(unwind::unwind_recording(recording, program, rules_of(program, options), how));
  input.unreadable = read.unreadable;
  input.events = std::move(read.events);
  input.matched_by_name = read.matched_by_name;
  ProgramSeen seen{read.mappings, std::move(read.other_build)};
  take(std::move(read), input);
  return seen;
}

}  // namespace pgokit::pipeline
