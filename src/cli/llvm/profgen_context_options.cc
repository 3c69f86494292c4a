#include "cli/llvm/profgen_context_options.h"

#include <limits>

namespace pgokit::cli {
namespace {

Status check_cutoff(std::string_view option, u64 cutoff) {
  if (cutoff <= profile::cold_cutoff) return {};
  return fail("{}: at most {} (per million)", option, profile::cold_cutoff);
}

}  // namespace

void add_context_options(OptionTable& table, pipeline::FinishOptions& finish) {
  auto& contexts = finish.contexts;
  auto& preinliner = contexts.preinliner;
  Option options[] = {
      {"--csspgo-preinliner", "BOOL", "decide in advance which contexts to inline (1)",
       &contexts.preinline},
      {"--use-context-cost-for-preinliner", "BOOL", "... by bytes of code, not places (1)",
       &contexts.size_of_context},
      {"--csspgo-replay-preinline", "BOOL", "... as in the profiled program", &preinliner.replay},
      {"--csspgo-preinliner-multiplier-for-previous-inlining", "N",
       "... larger threshold for what was inlined (100)", &preinliner.inlined_multiplier},
      {"--sample-profile-hot-inline-threshold", "N", "... largest hot callee (1500)",
       &preinliner.hot_threshold},
      {"--sample-profile-cold-inline-threshold", "N", "... size that cold callees are below (0)",
       &preinliner.cold_threshold},
      {"--sample-profile-inline-growth-limit", "N", "... by how much functions may grow (12)",
       &preinliner.growth_limit},
      {"--sample-profile-inline-limit-min", "N", "... size they may always grow to (100)",
       &preinliner.limit_min},
      {"--sample-profile-inline-limit-max", "N", "... size they may never grow over (50000)",
       &preinliner.limit_max},
      {"--sort-profiled-scc-member", "BOOL", "... in cycles of calls, hot calls first (1)",
       &preinliner.sort_cycles},
      {"--csprof-merge-cold-context", "BOOL", "add up cold contexts (without pre-inliner: 1)",
       &contexts.merge_cold},
      {"--csprof-max-cold-context-depth", "N", "frames that merged contexts keep (1)",
       &contexts.cold_frames},
      {"--gen-cs-nested-profile", "BOOL", "contexts become inlinees of their callers (1)",
       &contexts.nest},
      {"--generate-merged-base-profiles", "BOOL", "... and are in the callee's own profile too",
       &contexts.duplicate_into_base},
      {"--mark-all-context-preinlined", "BOOL", "mark everything as to be inlined",
       &finish.mark_to_be_inlined},
      {"--profile-summary-cutoff-hot", "N", "hot: share of all counts, per million",
       &contexts.hot_cutoff},
      {"--profile-summary-hot-count", "N", "... a count in its place", &contexts.hot_count},
      {"--profile-summary-cutoff-cold", "N", "cold: share of all counts, per million",
       &contexts.cold_cutoff},
      {"--profile-summary-cold-count", "N", "... a count in its place", &contexts.cold_count},
  };
  table.options.insert(table.options.end(), std::begin(options), std::end(options));
}

Status check_context_options(const pipeline::FinishOptions& finish) {
  const auto& contexts = finish.contexts;
  TRY(check_cutoff("--profile-summary-cutoff-hot", contexts.hot_cutoff));
  TRY(check_cutoff("--profile-summary-cutoff-cold", contexts.cold_cutoff));
  if (contexts.cold_frames == 0 || contexts.cold_frames > std::numeric_limits<u32>::max())
    return fail("--csprof-max-cold-context-depth: at least 1 frame has to be kept");
  return {};
}

}  // namespace pgokit::cli
