#pragma once

// What a profile sums up to: the counts that decide what is hot, and its density.
//
//   Summary summary = summarize(profile);
//   u64 hot = summary.count_at(hot_cutoff);          // counts of at least this are hot

#include <algorithm>
#include <span>
#include <vector>

#include "profile/model/profile.h"

namespace pgokit::profile {

// Cutoffs are millionths of all samples.
inline constexpr u32 hot_cutoff = 990000;
inline constexpr u32 cold_cutoff = 999999;

struct Summary {
  struct Entry {
    u32 cutoff = 0;
    u64 min_count = 0;  // the counts from here up make `cutoff` of all samples
    u64 num_counts = 0;
  };

  u64 total = 0;
  u64 max_count = 0;
  u64 max_function_count = 0;  // the largest head
  u64 num_counts = 0;
  u64 num_functions = 0;
  std::vector<Entry> entries;  // of the sixteen cutoffs that files have

  // The smallest count at the first cutoff of at least `cutoff`; 0 if there is none.
  u64 count_at(u32 cutoff) const;
};

// The same of places and functions one by one, for those who have no Profile.
class SummaryBuilder {
 public:
  SummaryBuilder() : small_(1 << 14) {}

  void add_place(u64 samples) {
    if (samples < small_.size())
      ++small_[samples];
    else
      large_.push_back(samples);
    summary_.total += samples;  // wraps as the tools' sum does
  }
  void add_function(u64 head) {
    ++summary_.num_functions;
    summary_.max_function_count = std::max(summary_.max_function_count, head);
  }
  void add(const SummaryBuilder& other);
  // Once.
  Summary finish();

 private:
  // Small counts, which are nearly all, have a table: sorting every count took a third of the time
  // of writing a file.
  std::vector<u64> small_;  // places by count
  std::vector<u64> large_;
  Summary summary_;
};

// Contexts of one function are added up first; where their checksums differ the first one decides:
// in file order, or with `llvm_order` in that of LLVM's hash table.
Summary summarize(const Profile& profile, bool llvm_order = false, unsigned threads = 1);
// Each context by itself.
Summary summarize_contexts(const Profile& profile);

// What a function holds, inlinees included.
struct Weight {
  u64 samples = 0, places = 0;
  u64 max_count = 0;  // of one place
};
// In the order of `functions`.
std::vector<Weight> weigh(std::span<const Function* const> functions, unsigned threads = 1);

struct Density {
  double density = 0;        // samples per place of the last function needed to reach the cutoff
  double covered_share = 0;  // of all samples, by the functions taken
  u64 functions = 0;         // how many were taken
};
// Below it a profile is thin: more samples would optimize better.
constexpr double dense_enough = 50;
// As llvm-profgen has it; docs/generate.md defines it.
Density density(std::span<const Weight> weights, u32 cutoff = hot_cutoff);
Density density(const Profile& profile, u32 cutoff = hot_cutoff, unsigned threads = 1);

struct HotFunction {
  const Function* function = nullptr;
  u64 max_count = 0;  // of one place, inlinees included
};
// Those of `functions` with a hot place, in their order.
std::vector<HotFunction> hot_functions(std::span<const Function* const> functions,
                                       std::span<const Weight> weights, const Summary& summary);

}  // namespace pgokit::profile
