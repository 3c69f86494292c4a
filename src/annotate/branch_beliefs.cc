#include "annotate/branch_beliefs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "annotate/block_flow.h"
#include "annotate/block_samples.h"
#include "annotate/branch_groups.h"
#include "annotate/branch_ways.h"
#include "base/function_name.h"
#include "base/saturated.h"
#include "profile/model/summary.h"

namespace pgokit::annotate {
namespace {

constexpr std::array<BeliefDescription, 10> descriptions{{
    {"no-samples", "the profile has no samples there"},
    {"no-discriminators", "the profile does not tell the ways apart"},
    {"copied", "the profile has the sum of copies, which run differently"},
    {"divided", "the branch is a part of one that clang held rightly"},
    {"even", "clang had nothing by which to tell the ways apart"},
    {"joined", "all ways are entered from elsewhere too, and profiles count blocks"},
    {"unclear", "code was copied, merged or moved"},
    {"thin", "the profile has few samples there"},
    {"runs-differently", "clang held what the profile says, the program does otherwise"},
    {"not-followed", "clang did not hold what the profile says"},
}};

// How often each successor of a block was gone to.
struct Ways {
  std::vector<u64> counts;
  u64 ran = 0;

  double share(size_t i) const { return static_cast<double>(counts[i]) / static_cast<double>(ran); }
};

class FunctionJudge {
 public:
  FunctionJudge(const BeliefInput& input, const block_map::Function& function,
                const std::vector<BranchWays>& branches, const BlockSamples& samples)
      : in_(input),
        function_(function),
        branches_(branches),
        samples_(samples),
        flow_(function, samples.all()),
        groups_(branches, samples, flow_.predecessors()) {}

  void judge(BranchBeliefs& told) const {
    for (const auto& branch : branches_) {
      auto by_profile = profiled_ways(branch);
      auto measured = in_.counts ? Ways{branch.counts, branch.ran} : by_profile.value_or(Ways{});
      if (measured.ran == 0) continue;
      ++told.judged;
      told.ran = add_saturated(told.ran, measured.ran);
      if (auto belief = compare(branch, measured, by_profile)) {
        told.worth = add_saturated(told.worth, belief->worth);
        told.wrong.push_back(std::move(*belief));
      }
    }
  }

 private:
  // By more than a quarter.
  static bool is_more(u64 a, u64 b) {
    return static_cast<double>(a) > 1.25 * static_cast<double>(b);
  }

  // The blocks' own samples where they are entered from here only; of two ways one is enough. What
  // contradicts the samples of the block itself is none: code was moved.
  std::optional<Ways> profiled_ways(const BranchWays& branch) const {
    Ways ways;
    std::optional<size_t> missing;
    for (u32 to : branch.successors) {
      auto count = samples_.of(to);
      bool known = count && flow_.predecessors()[to] == 1;
      if (!known && missing) return std::nullopt;
      if (!known) missing = ways.counts.size();
      ways.counts.push_back(known ? *count : 0);
      ways.ran = add_saturated(ways.ran, ways.counts.back());
    }
    auto all = samples_.of(branch.block);
    if (all && is_more(ways.ran, *all)) return std::nullopt;
    if (!missing) return all && is_more(*all, ways.ran) ? std::nullopt : std::optional(ways);
    if (!all || branch.successors.size() != 2) return std::nullopt;
    ways.counts[*missing] = *all - std::min(ways.ran, *all);
    ways.ran = std::max(ways.ran, *all);
    return ways;
  }

  // What the rest of the function says of them.
  std::optional<Ways> inferred_ways(const BranchWays& branch) const {
    Ways ways;
    for (size_t i = 0; i < branch.successors.size(); ++i) {
      auto count = flow_.edge(branch.block, i);
      if (!count) return std::nullopt;
      ways.counts.push_back(*count);
      ways.ran = add_saturated(ways.ran, *count);
    }
    auto all = flow_.block(branch.block);
    bool agrees = !all || (!is_more(ways.ran, *all) && !is_more(*all, ways.ran));
    return agrees ? std::optional(ways) : std::nullopt;
  }

  std::optional<BranchBelief> compare(const BranchWays& branch, const Ways& measured,
                                      std::optional<Ways> by_profile) const {
    double largest = 0;
    BranchBelief belief;
    size_t chosen = 0;
    for (size_t i = 0; i < branch.believed.size(); ++i) {
      double difference = measured.share(i) - branch.believed[i];
      if (std::abs(difference) <= largest) continue;
      largest = std::abs(difference);
      chosen = i;
      belief.believed = branch.believed[i];
      belief.measured = measured.share(i);
    }
    if (largest < in_.least_difference) return std::nullopt;
    belief.address = branch.address;
    belief.target = function_.address_of(function_.blocks[branch.successors[chosen]]);
    belief.ran = measured.ran;
    belief.worth = static_cast<u64>(std::llround(largest * static_cast<double>(measured.ran)));
    std::optional<BeliefCause> cause;
    if (!by_profile) cause = cause_without_samples(branch, chosen);
    if (!by_profile && !cause) by_profile = inferred_ways(branch);
    bool useful = by_profile && by_profile->ran > 0;
    if (in_.counts && useful) belief.profiled = by_profile->share(chosen);
    if (!cause && useful) cause = cause_by(*by_profile, belief);
    // What the profile lacks can be reckoned, but clang did not.
    if (cause == BeliefCause::not_followed && is_even(branch) && lacks_a_way(branch))
      cause = BeliefCause::even;
    belief.cause = cause ? *cause : cause_unknown(branch);
    return belief;
  }

  // Where the profile has no samples that are of one way alone.
  std::optional<BeliefCause> cause_without_samples(const BranchWays& branch, size_t way) const {
    const auto& ways = branch.successors;
    if (std::ranges::none_of(ways, [&](u32 to) { return samples_.is_profiled(to); }))
      return BeliefCause::no_samples;
    if (std::ranges::all_of(ways, [&](u32 to) { return samples_.are_alike(to, ways.front()); }))
      return BeliefCause::no_discriminators;
    if (groups_.copies_agree(branch, way, in_.least_difference)) return BeliefCause::copied;
    if (groups_.parts_agree(branch, in_.least_difference)) return BeliefCause::divided;
    return std::nullopt;
  }

  static bool is_even(const BranchWays& branch) {
    return std::ranges::all_of(branch.believed,
                               [&](double one) { return one == branch.believed.front(); });
  }

  // A block that was merged with another one has no samples of its own.
  bool lacks_a_way(const BranchWays& branch) const {
    return std::ranges::any_of(branch.successors, [&](u32 to) {
      return flow_.predecessors()[to] == 1 && !samples_.is_profiled(to);
    });
  }

  // Where what the profile says of the branch cannot be told.
  BeliefCause cause_unknown(const BranchWays& branch) const {
    if (is_even(branch)) return BeliefCause::even;
    bool is_joined = true, is_profiled = false;
    for (u32 to : branch.successors) {
      if (flow_.predecessors()[to] > 1) continue;
      is_joined = false;
      is_profiled |= samples_.is_profiled(to);
    }
    if (is_joined) return BeliefCause::joined;
    return is_profiled ? BeliefCause::unclear : BeliefCause::no_samples;
  }

  static BeliefCause cause_by(const Ways& by_profile, const BranchBelief& belief) {
    if (static_cast<double>(by_profile.ran) < profile::dense_enough) return BeliefCause::thin;
    double profiled = belief.profiled.value_or(belief.measured);
    bool held = std::abs(profiled - belief.believed) < std::abs(profiled - belief.measured);
    return held ? BeliefCause::runs_differently : BeliefCause::not_followed;
  }

  const BeliefInput& in_;
  const block_map::Function& function_;
  const std::vector<BranchWays>& branches_;
  const BlockSamples& samples_;
  BlockFlow flow_;
  BranchGroups groups_;
};

class Judge {
 public:
  explicit Judge(const BeliefInput& input, BlockPlaces places)
      : in_(input), places_(std::move(places)), profile_(*input.profile) {
    if (input.program->debug()) frames_.emplace(*input.program->debug());
    reader_.emplace(*input.program, input.counts, frames_ ? &*frames_ : nullptr);
    bytes_left_ = 4 * input.program->code().size();
  }

  void add(const block_map::Function& function) {
    if (!function.features.probabilities || function.blocks.empty()) return;
    const auto* range = in_.program->functions().find(function.addresses.front());
    if (!range) return;
    auto name = in_.program->functions().name(range->function);
    if (in_.counts ? !ran(function) : !profile_.has(function_guid(canonical_function_name(name))))
      return;
    // Each byte of code is in one block; a damaged map may say otherwise.
    u64 bytes = 0;
    for (const auto& block : function.blocks) bytes += block.size;
    if (bytes > bytes_left_) return;
    bytes_left_ -= bytes;
    BlockSamples samples(function, places_, profile_);
    auto branches = reader_->read(function);
    size_t before = told_.wrong.size();
    FunctionJudge(in_, function, branches, samples).judge(told_);
    for (size_t i = before; i < told_.wrong.size(); ++i) locate(told_.wrong[i], name);
  }

  BranchBeliefs take() && {
    std::ranges::sort(told_.wrong, [](const auto& a, const auto& b) {
      return a.worth != b.worth ? a.worth > b.worth : a.address < b.address;
    });
    return std::move(told_);
  }

 private:
  bool ran(const block_map::Function& function) const {
    return std::ranges::any_of(function.blocks, [&](const auto& block) {
      return block.size && in_.counts->at(function.address_of(block)) > 0;
    });
  }

  void locate(BranchBelief& belief, std::string_view function) {
    belief.function = belief.source = function;
    if (!frames_) return;
    const auto& part = frames_->at(belief.address);
    if (part.frames.empty()) return;
    const auto& leaf = part.frames.back();
    belief.source = leaf.function;
    belief.line = leaf.line;
    std::filesystem::path file = in_.program->debug()->file_name(part, leaf);
    belief.file = file.lexically_normal().string();
    if (belief.line == 0) belief.line = line_before(part.begin, part.scope);
  }

  // Code that was merged or moved has no line: that of the code in front of it is the nearest.
  u32 line_before(u64 address, u64 scope) {
    constexpr int most = 16;
    for (int i = 0; i < most && address > 0; ++i) {
      const auto& part = frames_->at(address - 1);
      if (part.frames.empty() || part.scope != scope) return 0;
      if (u32 line = part.frames.back().line) return line;
      address = part.begin;
    }
    return 0;
  }

  const BeliefInput& in_;
  BlockPlaces places_;
  ProfileCounts profile_;
  std::optional<dwarf::FrameCursor> frames_;
  std::optional<BranchReader> reader_;
  u64 bytes_left_ = 0;
  BranchBeliefs told_;
};

}  // namespace

const BeliefDescription& description_of(BeliefCause cause) {
  return descriptions[static_cast<size_t>(cause)];
}

Result<BranchBeliefs> branch_beliefs(const BeliefInput& input) {
  if (!block_map::has_block_map(input.program->file())) return BranchBeliefs{};
  Judge judge(input, TRY(BlockPlaces::of(*input.program, input.profile->flags.probe_based)));
  TRY(block_map::each_function(input.program->file(),
                               [&](const block_map::Function& function) { judge.add(function); }));
  return std::move(judge).take();
}

}  // namespace pgokit::annotate
