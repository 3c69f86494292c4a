#pragma once

// Samples of one thread with a call chain and a branch stack, made ready for the unwinder. Which
// are taken, and what of them, are llvm-profgen's rules.
//
//   HybridSampleReader sampler(program, rules);
//   sampler.begin(weight);
//   for (BinaryAddr frame : chain)                       // leaf first
//     if (!sampler.frame(sampler.locate(frame))) break;
//   if (!sampler.end_of_frames(false)) return samples::Fate::bad_call_chain;
//   for (auto [from, to] : branches)                     // newest first
//     sampler.branch(sampler.locate_end(from), sampler.locate_end(to));
//   return sampler.end_sample();

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <functional>

#include "samples/diagnosis.h"
#include "samples/recording_counts.h"
#include "unwind/by_context.h"
#include "unwind/sample_order.h"
#include "unwind/unwinder.h"

namespace pgokit::unwind {

struct HybridRules {
  bool by_frames = false;  // contexts are inline frames, not call sites
  ContextPolicy contexts = {};
  bool list_faults = false;  // of ranges and call chains, one by one
  // Chains that are known to be whole are used in prologues and epilogues too, unlike llvm-profgen.
  bool trusts_whole_chains = true;
  std::function<void(const char* stage)> begin_stage = {};  // told what is done after reading

  void stage(const char* name) const {
    if (begin_stage) begin_stage(name);
  }
};

// How well samples and program fit together. Equal samples count as one here.
struct HybridFacts {
  u64 samples = 0;
  u64 begun = 0;                 // samples as they stand there, and the empty lines of a text
  u64 outside_leaves = 0;        // ... of these: taken outside of the program
  u64 outside_chains = 0;        // ... of samples with branches: no frame is in the program
  u64 bad_return_addresses = 0;  // different ones, where call chains were cut
  u64 cut_chains = 0;            // samples whose chain was too long: its outer part is left out
  u64 branches = 0;
  u64 mismatched_frames = 0;  // of the branches, as in UnwindStats
  u64 mismatched_outside = 0;
  u64 paired_outside = 0;
  u64 unpaired_outside = 0;
  bool left_program = false;  // some contexts begin behind code that is not of the program
  std::vector<BinaryAddr> bad_returns;  // ascending, where faults are to be listed

  void add(const HybridFacts& other);
};

class HybridSampleReader {
 public:
  static constexpr u32 max_frames = 1024;  // of a chain; what a damaged file has beyond is left out

  HybridSampleReader(const program::Program& program, const HybridRules& rules);

  // A frame's.
  Place locate(BinaryAddr address) const {
    return checked(static_cast<Place>(code_->index_of(address)));
  }
  // That of an end of a branch: whether it is an instruction is asked when all are known, so that
  // they come into the cache together.
  Place locate_end(BinaryAddr address) const {
    auto index = code_->index_of(address);
    if (index != program::no_code) [[likely]]
      code_->prefetch(index);
    return static_cast<Place>(index);
  }

  // What follows comes from this part of the input.
  void begin_piece(size_t number) { place_ = u64{number} << 32; }
  void begin(u64 weight) {
    weight_ = weight;
    ++begun_;
    chain_.clear();
    branches_.clear();
  }
  // False: the chain ends here, whatever follows.
  bool frame(Place place);
  // False: the call chain cannot be used. `whole`: whoever made it says that no frame is missing.
  bool end_of_frames(bool whole = false);
  void branch(Place from, Place to) { branches_.push_back({from, to}); }
  samples::Fate end_sample();

  samples::SampleUse use;

 private:
  friend struct HybridCounts collect(std::vector<HybridSampleReader>, const program::Program&,
                                     const HybridRules&, unsigned threads);
  // As UnwindStats, in few bytes: one is kept for every sample that differs from the others.
  struct Odd {
    u16 branches, mismatched_frames, mismatched_outside, paired_outside, unpaired_outside;
  };
  struct Same {
    size_t operator()(u64 hash) const { return hash; }
  };
  Place checked(Place place) const {
    bool known = place != outside && code_->is_instruction(program::CodeIndex(place));
    return known ? place : outside;
  }
  void check_branches();
  u64 sample_hash() const;
  u64 llvm_hash() const;

  const program::Program* program_;
  const program::CodeMap* code_;
  Unwinder unwinder_;
  tsl::robin_map<u64, Odd, Same> seen_;  // by hash of the whole sample
  tsl::robin_set<u32, IntHash> bad_returns_;
  u64 begun_ = 0, outside_leaves_ = 0, outside_chains_ = 0, cut_chains_ = 0;
  bool trusts_whole_chains_;
  bool ordered_;
  std::vector<NotedSample> samples_;  // where their order is wanted

  // The sample in hand.
  u64 place_ = 0, weight_ = 1;
  std::vector<Place> chain_;  // leaf first, then calls
  std::vector<Unwinder::Branch> branches_;
};

struct HybridCounts {
  ContextCounts counts{ContextCounts::Kind::probes};
  HybridFacts facts;
  samples::RangeDiagnosis ranges;
  samples::SampleUse use;
};

// How much of a call chain the unwinder keeps: where inline frames are to come between the calls,
// these stay as they are.
ContextPolicy path_policy(const HybridRules& rules);

// What was unwound, by context. Of the facts only those that this tells.
HybridCounts counts_of(Unwound unwound, const program::Program& program, const HybridRules& rules,
                       unsigned threads);

// What all threads read; the same for any number of them.
HybridCounts collect(std::vector<HybridSampleReader> samplers, const program::Program& program,
                     const HybridRules& rules, unsigned threads);

}  // namespace pgokit::unwind
