#include "unwind/counted_contexts.h"

#include <algorithm>

#include "perf/branch_contexts.h"
#include "samples/call_chain.h"
#include "samples/counted_branches.h"
#include "samples/recording_maps.h"

namespace pgokit::unwind {
namespace {

class ContextReader {
 public:
  ContextReader(const perf::BranchCounts& counted, const perf::BranchContexts& contexts,
                const program::CodeMap& code, const samples::CountedPlaces& place)
      : counted_(counted), contexts_(contexts), code_(code), place_(place) {}

  void read(Unwinder& unwinder) {
    auto step = contexts_.steps.begin();
    auto rest = contexts_.rests.begin();
    for (u32 node = 0; node < contexts_.nodes.size(); ++node) {
      unwinder.enter(calls_of(node));
      for (; step != contexts_.steps.end() && step->node == node; ++step) add(*step, unwinder);
      for (; rest != contexts_.rests.end() && rest->node == node; ++rest) add(*rest, unwinder);
    }
  }

 private:
  // Outermost first.
  std::span<const Place> calls_of(u32 node) {
    calls_.clear();
    for (; node != perf::BranchContexts::root; node = contexts_.nodes[node].parent)
      calls_.push_back(call_before(place_(contexts_.nodes[node].returns_to)));
    std::ranges::reverse(calls_);
    return calls_;
  }
  Place call_before(Place returned_to) const {
    if (returned_to == outside) return outside;
    return static_cast<Place>(samples::call_before(code_, CodeIndex(returned_to)));
  }

  void add(const perf::BranchContexts::Step& step, Unwinder& unwinder) const {
    const auto& branch = counted_.branches[step.branch];
    Place from = place_(branch.from), to = place_(branch.to);
    Place begin = from == outside ? Step::unknown : place_(step.start);
    if (from != outside || to != outside) unwinder.add({begin, from, to}, step.count);
  }
  void add(const perf::BranchContexts::Rest& rest, Unwinder& unwinder) const {
    Place start = place_(rest.start), end = place_(rest.end);
    if (start == outside || end == outside || start == end) return;
    unwinder.add({start, static_cast<Place>(code_.before(CodeIndex(end))), outside}, rest.count);
  }

  const perf::BranchCounts& counted_;
  const perf::BranchContexts& contexts_;
  const program::CodeMap& code_;
  const samples::CountedPlaces& place_;
  std::vector<Place> calls_;
};

}  // namespace

bool has_counted_contexts(const perf::Recording& recording) {
  return !recording.features().branch_contexts.empty();
}

Status check_counted_contexts(const perf::Recording& recording) {
  const auto& features = recording.features();
  if (features.branch_counts.empty() || has_counted_contexts(recording)) return {};
  auto counted = TRY(perf::decode_branch_counts(features.branch_counts));
  if (counted.of_all())
    return fail(
        "its branches are not counted by calling context, which --context-sensitive needs: record "
        "with pgokit record --exact --contexts");
  return {};
}

Result<HybridRecording> read_counted_contexts(const perf::Recording& recording,
                                              const program::Program& program,
                                              const HybridRules& rules,
                                              const samples::RecordingOptions& options) {
  perf::ReadCounts unreadable;
  auto mapped =
      samples::map_program(recording, program, options.ignore_build_id, options.kernel, unreadable);
  const auto& features = recording.features();
  auto counted = TRY(perf::decode_branch_counts(features.branch_counts));
  auto contexts = TRY(perf::decode_branch_contexts(features.branch_contexts, counted));
  samples::ProgramMatch match(program.name(), program.file().build_id(), features.build_ids);
  samples::CountedPlaces place(counted, program.code(), match, options.ignore_build_id,
                               mapped.maps);
  std::vector<Unwinder> unwinders;
  unwinders.emplace_back(program.code(), path_policy(rules), rules.by_frames);
  if (!mapped.maps.empty())
    ContextReader(counted, contexts, program.code(), place).read(unwinders[0]);
  // All of it is one sample, where their order matters.
  auto unwound = merge(std::move(unwinders), {{NotedSample{}}}, options.threads);
  return HybridRecording{counts_of(std::move(unwound), program, rules, options.threads),
                         {},
                         unreadable,
                         mapped.mappings,
                         mapped.other_build,
                         mapped.matched_by_name};
}

}  // namespace pgokit::unwind
