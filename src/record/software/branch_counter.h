#pragma once

// Adds up the branches that windows have counted, of all processes, by file and offset.
//
//   BranchCounter counter;
//   counter.add(*thread.space, thread.window, weight);        // when the window is over
//   // Weights are in units of 1 / 512.
//   recording.branch_counts(counter.counts(512), counter.files());
//
// Most branches of a window have been in windows before: what they come to is looked up once for
// each address space (AddressSpace::edge_numbers).

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "perf/branch_counts.h"
#include "record/software/window.h"

namespace pgokit::record {

class BranchCounter {
 public:
  // The addresses of the window are those of the mappings that `space` knows now.
  void add(AddressSpace& space, const Window& window, u64 weight);
  // The same in parts: branches, and where what was counted begins and ends.
  void add(AddressSpace& space, std::span<const EdgeCount> counts, u64 weight);
  void add(AddressSpace& space, const Edge& edge, u64 weight);
  void begins(const AddressSpace& space, u64 address, u64 weight);
  void ends(const AddressSpace& space, u64 address, u64 weight);
  // A branch there has been counted, in whichever process.
  bool has_run(const AddressSpace& space, u64 address) const;
  // Where branches in whichever process have gone to in the file of a mapping: addresses in that.
  std::vector<u64> targets_in(const Mapping& mapping) const;
  // How alike the two halves of the windows are: the sum of the smaller of both shares of each
  // branch.
  double likeness_of_halves() const;
  // Paths are views of this.
  perf::BranchCounts counts(u64 scale) const;
  // In the same order.
  std::vector<FileKey> files() const;

  using Place = perf::BranchCounts::Place;
  struct Ends {
    Place from, to;
    bool operator==(const Ends&) const = default;
  };
  // For users that count by themselves. Branches have numbers, ascending from 0 as they are met.
  u32 number_of(AddressSpace& space, const EdgeCount& one);
  u32 number_of(const AddressSpace& space, const Edge& edge);
  Place place_of(const AddressSpace& space, u64 address);
  void add(u32 number, u64 count) { counts_[number] += count; }
  // Of each number.
  std::vector<Ends> branches() const;

 private:
  struct EndsHash {
    size_t operator()(const Ends& ends) const;
  };

  void count(u32 number, u64 weighted) {
    counts_[number] += weighted;
    if (windows_ % 2 == 1) of_odd_[number] += weighted;
  }
  u32 number_of(const Ends& ends);

  std::map<FileKey, u32, ByFile> files_;
  tsl::robin_map<Ends, u32, EndsHash> numbers_;
  std::vector<u64> counts_;                // by number
  std::vector<u64> of_odd_;                // of these: by every second window
  tsl::robin_set<u64, IntHash> run_;       // targets of branches: hashes of their places
  std::vector<std::vector<u64>> targets_;  // the same, by file
  std::map<Place, u64> begun_, ended_;
  u64 windows_ = 0;
};

}  // namespace pgokit::record
