#include "pipeline/passes.h"

#include <utility>

#include "base/file.h"
#include "generate/contexts.h"
#include "generate/flat/flat.h"
#include "generate/flat/lines.h"
#include "profile/model/each_function.h"
#include "profile/model/scaling.h"
#include "program/producer.h"
#include "transform/ambiguous.h"
#include "transform/context_summary.h"

namespace pgokit::pipeline {
namespace {

// What is cold is left out, contexts become what the compiler wants of them.
Status post_process(const program::Program& program, Generated& made, const RoadOptions& options) {
  options.read.stage("post-processing");
  const auto& contexts = options.finish.contexts;
  auto& profile = made.profile;
  made.summary = profile::summarize(profile, false, options.read.threads);
  if (profile.flags.context_sensitive) {
    std::optional<transform::InlineSizes> sizes;
    if (contexts.needs_sizes())
      sizes = TRY(transform::inline_sizes(program,
                                          transform::functions_named(program.functions(), profile),
                                          nullptr, options.read.threads));
    post_process_contexts(profile, made.summary, sizes ? &*sizes : nullptr, contexts);
  } else if (contexts.trim_cold) {
    u64 cold = contexts.cold_threshold(made.summary);
    profile.keep_if([&](const profile::Function& f) { return f.samples.total >= cold; });
  }
  return {};
}

// The same of samples in columns.
Status post_process(const program::Program& program, generate::ContextResult& contexts,
                    Generated& made, const RoadOptions& options) {
  options.read.stage("post-processing");
  made.summary = transform::summarize(contexts.samples, options.read.threads);
  std::optional<transform::InlineSizes> sizes;
  if (options.finish.contexts.needs_sizes())
    sizes = TRY(transform::inline_sizes(program, contexts.functions_hit,
                                        contexts.probe_table ? &contexts.probes : nullptr,
                                        options.read.threads));
  made.profile = transform::post_process_contexts(std::move(contexts.samples), made.summary,
                                                  sizes ? &*sizes : nullptr,
                                                  options.finish.contexts, options.read.threads);
  return {};
}

Status of_contexts(const program::Program& program, ReadInput& input, const RoadOptions& options,
                   Generated& made) {
  auto contexts = TRY(generate::generate_contexts(program, *std::exchange(input.contexts, {}),
                                                  {.policy = options.read.contexts,
                                                   .update_totals = options.flat.update_totals,
                                                   .lost_loops = !options.read.llvm_profgen,
                                                   .threads = options.read.threads}));
  made.probes_without_descriptor = contexts.probes_without_descriptor;
  made.probe_damage = contexts.probe_damage;
  return post_process(program, contexts, made, options);
}

Status of_counts(const program::Program& program, ReadInput& input, const RoadOptions& options,
                 Generated& made) {
  auto how = options.flat;
  how.threads = options.read.threads;
  how.lost_loops = !options.read.llvm_profgen;
  how.only_counted = input.counters && input.counters->detail == Counters::Detail::targets;
  auto flat = TRY(generate::generate_flat(program, std::exchange(input.counts, {}), how));
  generate::add_vtable_samples(program, input.vtables, flat.profile);
  made.probes_without_descriptor = flat.probes_without_descriptor;
  made.probe_damage = flat.probe_damage;
  made.profile = std::move(flat.profile);
  return post_process(program, made, options);
}

// From here on the profile is what will be written.
void complete(Generated& made, const FinishOptions& options, unsigned threads) {
  transform::drop_ambiguous_functions(made.profile, threads);
  if (options.mark_to_be_inlined) transform::mark_all_to_be_inlined(made.profile);
  for_each_function(made.profile, threads,
                    [](profile::Function& function) { function.samples.sort(); });
  if (options.quantize_bits) {
    profile::quantize_counts(made.profile, static_cast<unsigned>(options.quantize_bits), threads);
    made.summary = profile::summarize(made.profile, false, threads);
  }
  made.density = profile::density(made.profile, static_cast<u32>(options.density_cutoff), threads);
}

}  // namespace

Result<Generated> generate_profile(const program::Program& program, ReadInput& input,
                                   const RoadOptions& options) {
  Generated made;
  if (input.profile) {
    made.profile = std::move(*std::exchange(input.profile, {}));
    TRY(post_process(program, made, options));
  } else {
    options.read.stage("profile");
    release(program.file().image());  // of its code, nothing is decoded any more
    TRY(input.contexts ? of_contexts(program, input, options, made)
                       : of_counts(program, input, options, made));
  }
  if (options.target.consumer) {
    bool is_c = options.target.consumer == &consumers::gcc &&
                !program::has_cplusplus(program.file(), program.debug());
    options.target.fit(made.profile, is_c);
  }
  complete(made, options.finish, options.read.threads);
  if (input.counters) list_never_ran(program, *input.counters, made.profile);
  return made;
}

}  // namespace pgokit::pipeline
