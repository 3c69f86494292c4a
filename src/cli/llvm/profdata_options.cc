#include "cli/llvm/profdata_options.h"

#include <algorithm>

namespace pgokit::cli {
namespace {

// Flow-sensitive discriminators: bits 0 to 7 are those of the debug information, each pass that
// adds some has the next six. Source of truth: llvm/include/llvm/Support/Discriminator.h.
struct Pass {
  std::string_view name;
  u32 mask;
};
constexpr Pass passes[] = {{"Base", (1u << 8) - 1},
                           {"Pass1", (1u << 14) - 1},
                           {"Pass2", (1u << 20) - 1},
                           {"Pass3", (1u << 26) - 1},
                           {"PassLast", ~0u}};

Status check_cutoff(std::string_view option, i64 cutoff) {
  if (cutoff <= profile::cold_cutoff) return {};
  return fail("{}: at most {} (per million)", option, profile::cold_cutoff);
}

}  // namespace

profile::ReadOptions LibraryOptions::reading() const {
  const auto* pass = std::ranges::find(passes, flow_sensitive_pass, &Pass::name);
  return {.flow_sensitive = flow_sensitive,
          .discriminator_mask = pass == std::end(passes) ? ~0u : pass->mask,
          .contexts_apart = !contextless_summary};
}

analysis::HotRule LibraryOptions::hot_rule() const {
  analysis::HotRule rule{.cutoff = static_cast<u32>(std::max<i64>(hot_cutoff, 0))};
  if (hot_count >= 0) rule.count = static_cast<u64>(hot_count);
  return rule;
}

u64 LibraryOptions::cold_threshold(const profile::Summary& summary) const {
  if (cold_count >= 0) return static_cast<u64>(cold_count);
  return summary.count_at(static_cast<u32>(std::max<i64>(cold_cutoff, 0)));
}

void add_library_options(OptionTable& table, LibraryOptions& o) {
  Option options[] = {
      {"--generate-merged-base-profiles", "BOOL",
       "nested contexts are in the callee's own profile too", &o.merged_base_profiles},
      {"--profile-summary-contextless", "BOOL", "summaries add up the contexts of a function (1)",
       &o.contextless_summary},
      {"--profile-summary-cutoff-hot", "N", "hot: share of all counts, per million", &o.hot_cutoff},
      {"--profile-summary-hot-count", "N", "... a count in its place", &o.hot_count},
      {"--profile-summary-cutoff-cold", "N", "cold: share of all counts, per million",
       &o.cold_cutoff},
      {"--profile-summary-cold-count", "N", "... a count in its place", &o.cold_count},
      {"--profile-isfs", "", "discriminators of text are flow-sensitive", &o.flow_sensitive},
      {"--fs-discriminator-pass", "PASS",
       "Base, Pass1, Pass2, Pass3 or PassLast: ... their bits of later passes do not count",
       &o.flow_sensitive_pass},
      // Without effect on profiles.
      {"--color,--print-options,--print-all-options", "", "", &o.ignored, false, true},
      {"--x86-asm-syntax", "SYNTAX", "", &o.ignored_value, false, true}};
  table.options.insert(table.options.end(), std::begin(options), std::end(options));
}

Status check_library_options(const LibraryOptions& options) {
  TRY(check_cutoff("--profile-summary-cutoff-hot", options.hot_cutoff));
  TRY(check_cutoff("--profile-summary-cutoff-cold", options.cold_cutoff));
  if (std::ranges::find(passes, options.flow_sensitive_pass, &Pass::name) == std::end(passes))
    return fail("for the --fs-discriminator-pass option: Cannot find option named '{}'!",
                options.flow_sensitive_pass);
  return {};
}

void choose_profile_kind(std::span<char* const> arguments, bool& sample) {
  for (std::string_view word : arguments) {
    if (word == "-instr" || word == "--instr") sample = false;
    if (word == "-sample" || word == "--sample") sample = true;
  }
}

}  // namespace pgokit::cli
