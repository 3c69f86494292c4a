#include "generate/flat/flat.h"

#include <algorithm>
#include <utility>

#include "base/saturated.h"
#include "generate/flat/lines.h"
#include "generate/flat/probes.h"
#include "generate/functions/disjoint.h"
#include "generate/functions/hit_functions.h"
#include "profile/model/each_function.h"

namespace pgokit::generate {
namespace {

void add_zero_ranges(std::vector<RangeCount>& ranges, const program::FunctionTable& functions,
                     u32 function) {
  for (const auto& range : functions.ranges_of(function))
    ranges.push_back({{range.start}, {range.end - 1}, 0});
}

// All code of the functions that were hit, with a count of zero: what did not run is worth knowing
// too. Ascending.
std::vector<RangeCount> zero_ranges(const program::FunctionTable& functions,
                                    const samples::Counts& counts, const FlatOptions& options) {
  std::vector<RangeCount> ranges;
  std::vector<bool> added(functions.size());
  if (options.zero_for_all)
    for (u32 function = 0; function < functions.size(); ++function)
      add_zero_ranges(ranges, functions, function);
  else if (!options.only_counted)
    for (const auto& range : counts.ranges) {
      const auto* hit = functions.find(range.start.value);
      if (!hit || added[hit->function]) continue;
      added[hit->function] = true;
      add_zero_ranges(ranges, functions, hit->function);
    }
  samples::Counts unique{std::move(ranges), {}};
  normalize(unique);
  return std::move(unique.ranges);
}

// The counted ranges, and under them those of zero. Of the counts the branches are left.
std::vector<RangeCount> with_code_that_did_not_run(const program::FunctionTable& functions,
                                                   samples::Counts& counts,
                                                   const FlatOptions& options) {
  auto zero = zero_ranges(functions, counts, options);
  auto counted = std::exchange(counts.ranges, {});
  samples::Counts all;
  all.ranges.resize(counted.size() + zero.size());
  auto key = [](const RangeCount& range) { return std::pair(range.start, range.last); };
  std::ranges::merge(counted, zero, all.ranges.begin(), {}, key, key);
  normalize(all);
  return std::move(all.ranges);
}

// A call site was reached at least as often as calls from it were seen.
void raise_to_calls(profile::FunctionSamples& function) {
  for (auto& [location, record] : function.body.unordered())
    record.samples = std::max(record.samples, record.target_sum());
}

u64 body_sum(profile::FunctionSamples& function) {
  u64 sum = 0;
  for (const auto& entry : function.body.unordered()) sum = add_saturated(sum, entry.value.samples);
  for (auto& at : function.inlinees.unordered())
    for (auto& inlinee : at.value.unordered()) sum = add_saturated(sum, body_sum(*inlinee.value));
  return function.total = sum;
}

}  // namespace

Result<FlatResult> generate_flat(const program::Program& program, samples::Counts counts,
                                 const FlatOptions& options) {
  FlatResult result;
  auto& profile = result.profile;
  profile.flags.probe_based = program.has_probes();
  profile.flags.fs_discriminators = program.has_fs_discriminators();

  std::vector<bool> hit;  // asked while the ranges are there
  if (program.has_probes()) hit = functions_hit(program.functions(), counts);
  auto pieces = disjoint_pieces(with_code_that_did_not_run(program.functions(), counts, options));
  if (program.has_probes()) {
    TRY(add_probe_samples(program, pieces, counts.branches, hit, options, result));
  } else {
    add_line_samples(program, std::move(pieces), std::move(counts.branches), options.threads,
                     profile);
  }
  for_each_function(profile, options.threads, [&](profile::Function& function) {
    raise_to_calls(function.samples);
    if (options.update_totals) body_sum(function.samples);
  });
  return result;
}

}  // namespace pgokit::generate
