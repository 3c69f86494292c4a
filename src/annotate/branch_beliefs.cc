#include "annotate/branch_beliefs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "annotate/block_samples.h"
#include "base/function_name.h"
#include "base/saturated.h"
#include "profile/model/summary.h"

namespace pgokit::annotate {
namespace {

constexpr std::array<BeliefDescription, 6> descriptions{{
    {"no-samples", "the profile has no samples there"},
    {"no-discriminators", "the profile does not tell the ways apart"},
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
                const BlockSamples& samples)
      : in_(input), function_(function), samples_(samples), predecessors_(function.blocks.size()) {
    for (u32 i = 0; i < function.blocks.size(); ++i) by_id_.push_back({function.blocks[i].id, i});
    std::ranges::sort(by_id_);
    for (size_t i = 0; i < function.blocks.size(); ++i)
      for (u32 id : function.successors_of(i))
        if (auto to = number_of(id)) ++predecessors_[*to];
    if (!predecessors_.empty()) ++predecessors_[0];  // calls
  }

  void judge(BranchBeliefs& told) {
    for (size_t i = 0; i < function_.blocks.size(); ++i) {
      if (!take(i)) continue;
      auto by_profile = profiled_ways();
      auto measured = in_.counts ? counted_ways() : by_profile;
      if (!measured || measured->ran == 0) continue;
      ++told.judged;
      told.ran = add_saturated(told.ran, measured->ran);
      if (auto belief = compare(*measured, by_profile)) {
        told.worth = add_saturated(told.worth, belief->worth);
        told.wrong.push_back(std::move(*belief));
      }
    }
  }

 private:
  std::optional<u32> number_of(u32 id) const {
    auto found = std::ranges::lower_bound(by_id_, std::pair(id, u32{0}));
    if (found == by_id_.end() || found->first != id) return std::nullopt;
    return found->second;
  }
  u64 begin_of(size_t block) const { return function_.address_of(function_.blocks[block]); }
  u64 end_of(size_t block) const { return begin_of(block) + function_.blocks[block].size; }

  // A block that ends in a branch to several others. After calls that may throw the other way is no
  // branch.
  bool take(size_t block) {
    auto ids = function_.successors_of(block);
    if (ids.size() < 2 || function_.probabilities_of(block).size() != ids.size()) return false;
    block_ = block;
    successors_.clear();
    for (u32 id : ids) {
      auto to = number_of(id);
      if (!to || function_.blocks[*to].size == 0) return false;
      successors_.push_back(*to);
    }
    return find_branches() && !in_.program->code().is_call(last_);
  }

  // The instructions of the block that may leave it, and its last one.
  bool find_branches() {
    branches_.clear();
    const auto& code = in_.program->code();
    last_ = program::no_code;
    for (u64 at = begin_of(block_); at < end_of(block_);) {
      auto index = code.index_of({at});
      if (index == program::no_code || !code.is_instruction(index)) return false;
      if (code.is_transfer(index) && !code.is_call(index)) branches_.push_back(at);
      last_ = index;
      at += code.length(index);
    }
    return last_ != program::no_code;
  }

  std::optional<Ways> counted_ways() const {
    std::map<u64, u64> taken;  // by where to
    for (u64 at : branches_)
      for (const auto& one : in_.counts->from(at)) {
        u64& count = taken[one.to.value];
        count = add_saturated(count, one.count);
      }
    u64& run_on = taken[end_of(block_)];
    run_on = add_saturated(run_on, entries_by_running_on(end_of(block_)));
    Ways ways;
    for (u32 to : successors_) {
      auto found = taken.find(begin_of(to));
      ways.counts.push_back(found == taken.end() ? 0 : found->second);
      ways.ran = add_saturated(ways.ran, ways.counts.back());
    }
    return ways;
  }

  // Whatever does not come by a branch.
  u64 entries_by_running_on(u64 address) const {
    u64 ran = in_.counts->at(address), jumped = 0;
    for (const auto& one : in_.counts->to(address)) jumped = add_saturated(jumped, one.count);
    return ran - std::min(jumped, ran);
  }

  // By more than a quarter.
  static bool is_more(u64 a, u64 b) {
    return static_cast<double>(a) > 1.25 * static_cast<double>(b);
  }
  bool is_only_way_to(u32 block) const { return predecessors_[block] == 1; }

  // The blocks' own samples where they are entered from here only; of two ways one is enough. What
  // contradicts the samples of the block itself is none: code was moved.
  std::optional<Ways> profiled_ways() const {
    Ways ways;
    std::optional<size_t> missing;
    for (size_t i = 0; i < successors_.size(); ++i) {
      auto count = samples_.of(successors_[i]);
      bool known = count && is_only_way_to(successors_[i]);
      if (!known && missing) return std::nullopt;
      if (!known) missing = i;
      ways.counts.push_back(known ? *count : 0);
      ways.ran = add_saturated(ways.ran, ways.counts.back());
    }
    auto all = samples_.of(block_);
    if (all && is_more(ways.ran, *all)) return std::nullopt;
    if (!missing) return all && is_more(*all, ways.ran) ? std::nullopt : std::optional(ways);
    if (!all || successors_.size() != 2) return std::nullopt;
    ways.counts[*missing] = *all - std::min(ways.ran, *all);
    ways.ran = std::max(ways.ran, *all);
    return ways;
  }

  std::optional<BranchBelief> compare(const Ways& measured,
                                      const std::optional<Ways>& by_profile) const {
    auto probabilities = function_.probabilities_of(block_);
    double all = 0, largest = 0;
    for (u32 one : probabilities) all += one;
    if (all == 0) return std::nullopt;
    BranchBelief belief;
    size_t chosen = 0;
    for (size_t i = 0; i < probabilities.size(); ++i) {
      double believed = probabilities[i] / all, difference = measured.share(i) - believed;
      if (std::abs(difference) <= largest) continue;
      largest = std::abs(difference);
      chosen = i;
      belief.believed = believed;
      belief.measured = measured.share(i);
    }
    if (largest < in_.least_difference) return std::nullopt;
    belief.address = in_.program->code().address_of(last_).value;
    belief.target = begin_of(successors_[chosen]);
    belief.ran = measured.ran;
    belief.worth = static_cast<u64>(std::llround(largest * static_cast<double>(measured.ran)));
    bool useful = by_profile && by_profile->ran > 0;
    if (in_.counts && useful) belief.profiled = by_profile->share(chosen);
    belief.cause = cause_of(belief, useful ? &*by_profile : nullptr);
    return belief;
  }

  BeliefCause cause_of(const BranchBelief& belief, const Ways* by_profile) const {
    if (!by_profile) {
      if (std::ranges::none_of(successors_, [&](u32 to) { return samples_.is_profiled(to); }))
        return BeliefCause::no_samples;
      bool alike = std::ranges::all_of(
          successors_, [&](u32 to) { return samples_.are_alike(to, successors_.front()); });
      return alike ? BeliefCause::no_discriminators : BeliefCause::unclear;
    }
    if (static_cast<double>(by_profile->ran) < profile::dense_enough) return BeliefCause::thin;
    double profiled = belief.profiled.value_or(belief.measured);
    bool held = std::abs(profiled - belief.believed) < std::abs(profiled - belief.measured);
    return held ? BeliefCause::runs_differently : BeliefCause::not_followed;
  }

  const BeliefInput& in_;
  const block_map::Function& function_;
  const BlockSamples& samples_;
  std::vector<std::pair<u32, u32>> by_id_;  // number of the block, ascending by id
  std::vector<u32> predecessors_;
  // Of the block that is looked at.
  size_t block_ = 0;
  std::vector<u32> successors_;
  std::vector<u64> branches_;
  program::CodeIndex last_ = program::no_code;
};

class Judge {
 public:
  explicit Judge(const BeliefInput& input, BlockPlaces places)
      : in_(input), places_(std::move(places)), profile_(*input.profile) {
    if (input.program->debug()) frames_.emplace(*input.program->debug());
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
    size_t before = told_.wrong.size();
    FunctionJudge(in_, function, samples).judge(told_);
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
  }

  const BeliefInput& in_;
  BlockPlaces places_;
  ProfileCounts profile_;
  std::optional<dwarf::FrameCursor> frames_;
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
