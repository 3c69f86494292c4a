#include "unwind/hybrid.h"

#include <algorithm>

#include "base/free_memory.h"
#include "samples/call_chain.h"

namespace pgokit::unwind {
namespace {

using samples::Fate;

u16 short_count(u32 count) { return static_cast<u16>(std::min<u32>(count, 0xffff)); }

}  // namespace

ContextPolicy path_policy(const HybridRules& rules) {
  return rules.by_frames ? ContextPolicy{.longest_recursion = 0} : rules.contexts;
}

void HybridFacts::add(const HybridFacts& other) {
  samples += other.samples;
  begun += other.begun;
  outside_leaves += other.outside_leaves;
  outside_chains += other.outside_chains;
  bad_return_addresses += other.bad_return_addresses;
  cut_chains += other.cut_chains;
  branches += other.branches;
  mismatched_frames += other.mismatched_frames;
  mismatched_outside += other.mismatched_outside;
  paired_outside += other.paired_outside;
  unpaired_outside += other.unpaired_outside;
  left_program |= other.left_program;
  bad_returns.insert(bad_returns.end(), other.bad_returns.begin(), other.bad_returns.end());
}

HybridSampleReader::HybridSampleReader(const program::Program& program, const HybridRules& rules)
    : program_(&program),
      code_(&program.code()),
      unwinder_(program.code(), path_policy(rules), rules.by_frames),
      trusts_whole_chains_(rules.trusts_whole_chains),
      ordered_(rules.by_frames) {}

bool HybridSampleReader::frame(Place place) {
  if (place == outside) {
    outside_leaves_ += chain_.empty();
    // Neighbours outside are one.
    if (chain_.empty() || chain_.back() != outside) chain_.push_back(outside);
    return true;
  }
  if (chain_.empty()) return chain_.push_back(place), true;
  auto call = samples::call_before(*code_, CodeIndex(place));
  if (call == program::no_code) return bad_returns_.insert(place), false;
  if (chain_.size() == max_frames) return ++cut_chains_, false;
  chain_.push_back(static_cast<Place>(call));
  return true;
}

bool HybridSampleReader::end_of_frames(bool whole) {
  if (chain_.size() > 1 && chain_.back() == outside) chain_.pop_back();
  if (chain_.empty()) return false;
  if (chain_[0] == outside || (whole && trusts_whole_chains_)) return true;
  return !samples::in_prologue_or_epilogue(*program_, CodeIndex(chain_[0]));
}

Fate HybridSampleReader::end_sample() {
  size_t entries = branches_.size();
  if (entries == 0) return Fate::without_branches;
  check_branches();
  Fate fate = branches_.empty() ? Fate::not_in_program : Fate::used;
  use.note_stack(fate, entries, entries - branches_.size(), weight_);
  if (branches_.empty()) return fate;

  if (chain_.size() == 1 && chain_[0] == outside) outside_chains_ += weight_;
  chain_.erase(chain_.begin());  // the newest branch tells the leaf better
  std::ranges::reverse(chain_);
  u64 hash = sample_hash();
  auto stats = unwinder_.unwind(chain_, branches_, weight_, static_cast<u32>(samples_.size()));
  if (ordered_) samples_.push_back({place_++, hash, llvm_hash()});
  seen_.try_emplace(hash,
                    Odd{short_count(stats.branches), short_count(stats.mismatched_frames),
                        short_count(stats.mismatched_outside), short_count(stats.paired_outside),
                        short_count(stats.unpaired_outside)});
  return fate;
}

// Those with both ends outside are left out.
void HybridSampleReader::check_branches() {
  size_t kept = 0;
  for (auto branch : branches_) {
    branch = {checked(branch.from), checked(branch.to)};
    if (branch.from != outside || branch.to != outside) branches_[kept++] = branch;
  }
  branches_.resize(kept);
}

u64 HybridSampleReader::sample_hash() const {
  u64 hash = PathTable::empty_hash;
  for (Place call : chain_) hash = extend_hash(hash, call);
  hash = extend_hash(hash, no_call);
  for (const auto& branch : branches_)
    hash = extend_hash(extend_hash(hash, branch.from), branch.to);
  return hash;
}

u64 HybridSampleReader::llvm_hash() const {
  auto extend = [&](u64 hash, Place place) {
    bool inside = place != outside;
    return extend_llvm_hash(
        hash, inside ? code_->address_of(CodeIndex(place)).value : samples::external.value);
  };
  u64 hash = extend(empty_llvm_hash, branches_[0].to);
  for (size_t i = chain_.size(); i-- > 0;) hash = extend(hash, chain_[i]);
  for (const auto& branch : branches_) hash = extend(extend(hash, branch.from), branch.to);
  return hash;
}

HybridCounts collect(std::vector<HybridSampleReader> samplers, const program::Program& program,
                     const HybridRules& rules, unsigned threads) {
  rules.stage("joining call chains");
  HybridCounts all;
  std::vector<Unwinder> unwinders;
  std::vector<std::vector<NotedSample>> noted;
  auto seen = std::move(samplers[0].seen_);
  auto bad_returns = std::move(samplers[0].bad_returns_);
  for (auto& sampler : samplers) {
    seen.insert(sampler.seen_.begin(), sampler.seen_.end());
    free_memory_of(sampler.seen_);
    bad_returns.insert(sampler.bad_returns_.begin(), sampler.bad_returns_.end());
    all.use.add(sampler.use);
    all.facts.begun += sampler.begun_;
    all.facts.outside_leaves += sampler.outside_leaves_;
    all.facts.outside_chains += sampler.outside_chains_;
    all.facts.cut_chains += sampler.cut_chains_;
    noted.push_back(std::move(sampler.samples_));
    unwinders.push_back(std::move(sampler.unwinder_));
  }
  auto& facts = all.facts;
  facts.samples = seen.size();
  facts.bad_return_addresses = bad_returns.size();
  if (rules.list_faults)
    for (u32 place : bad_returns)
      facts.bad_returns.push_back(program.code().address_of(CodeIndex(place)));
  std::ranges::sort(facts.bad_returns);
  for (const auto& [hash, odd] : seen) {
    facts.branches += odd.branches;
    facts.mismatched_frames += odd.mismatched_frames;
    facts.mismatched_outside += odd.mismatched_outside;
    facts.paired_outside += odd.paired_outside;
    facts.unpaired_outside += odd.unpaired_outside;
  }
  samplers.clear();
  free_memory_of(seen);

  auto counted = counts_of(merge(std::move(unwinders), noted, threads), program, rules, threads);
  facts.left_program = counted.facts.left_program;
  all.ranges = std::move(counted.ranges);
  all.counts = std::move(counted.counts);
  return all;
}

HybridCounts counts_of(Unwound unwound, const program::Program& program, const HybridRules& rules,
                       unsigned threads) {
  rules.stage("counting by context");
  HybridCounts all;
  all.facts.left_program = unwound.left_program;
  std::vector<samples::BranchFolder::RawRange> ranges;
  for (size_t i = 0; i < unwound.ranges.size(); ++i)
    ranges.push_back(
        {first_of(unwound.ranges[i]), second_of(unwound.ranges[i]), unwound.range_counts[i]});
  all.ranges =
      samples::diagnose(ranges, program.code(), program.functions(), rules.list_faults, threads);
  all.counts = rules.by_frames
                   ? counts_by_frames(std::move(unwound), program, rules.contexts, threads)
                   : counts_by_path(std::move(unwound), threads);
  return all;
}

}  // namespace pgokit::unwind
