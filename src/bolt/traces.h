#pragma once

// Traces: a branch that was taken, and how far execution ran straight on from its target. BOLT
// makes profiles of traces, because only both parts together tell whether code was reached by a
// return, that is, by falling out of a call.
//
//   AddressSpace space = TRY(AddressSpace::of(program.file()));
//   TraceFolder folder(space);                                          // one per thread
//   for (const auto& entry : newest_first)
//     folder.entry(space.place_of(entry.from), space.place_of(entry.to), entry.mispredicted);
//   folder.end_sample();
//   Traces traces = merge(std::move(folders));

#include <vector>

#include "object/file.h"
#include "samples/counts.h"
#include "samples/pair_counter.h"
#include "samples/step_counter.h"

namespace pgokit::bolt {

// Ends of traces that are not in the program. Branches and ranges may also have samples::external.
inline constexpr BinaryAddr unknown{~u64{0}};              // `to`: nothing is known after `from`
inline constexpr BinaryAddr no_branch{~u64{0}};            // `branch`: only the range was counted
inline constexpr BinaryAddr external_origin{~u64{0} - 1};  // ... came from outside
inline constexpr BinaryAddr external_return{~u64{0} - 2};  // ... was reached by a return

struct Trace {
  BinaryAddr branch, from, to;  // a branch went from `branch` to `from`; all to `to` ran
  u64 count = 0;
  bool operator==(const Trace&) const = default;
};

struct Traces {
  std::vector<Trace> list;                         // ascending by from, to, branch
  std::vector<samples::BranchCount> mispredicted;  // ascending by from, to
  std::vector<BinaryAddr> returns;                 // that the input calls so, ascending
  u64 outside = 0;                                 // traces without an address of the program

  // Sorts, and sums entries with the same addresses.
  void normalize();
  void add(Traces&& more);
};

// Addresses of one program as numbers of 32 bits.
class AddressSpace {
 public:
  using Place = u32;
  static constexpr Place outside = ~Place{0}, nothing = outside - 1;

  static Result<AddressSpace> of(const object::File& program);

  Place place_of(BinaryAddr address) const {
    u64 offset = address.value - low_;
    return offset < size_ ? static_cast<Place>(offset) : outside;
  }
  BinaryAddr address_of(Place place) const {
    if (place == outside) return samples::external;
    return place == nothing ? unknown : BinaryAddr{low_ + place};
  }

 private:
  AddressSpace(u64 low, u64 size) : low_(low), size_(size) {}
  u64 low_, size_;
};

class TraceFolder {
 public:
  using Place = AddressSpace::Place;

  explicit TraceFolder(const AddressSpace& space) : space_(space) {}

  // Of the sample in hand, newest first.
  void entry(Place from, Place to, bool mispredicted) {
    Place last = entries_.empty() ? AddressSpace::nothing : entries_.back().from;
    counter_.prefetch({from, to, last});
    entries_.push_back({from, to, mispredicted});
  }
  // Whether an end of an entry was in the program.
  bool end_sample(u64 weight = 1);

  friend Traces merge(std::vector<TraceFolder> folders);

 private:
  struct Entry {
    Place from, to;
    bool mispredicted;
  };

  AddressSpace space_;
  std::vector<Entry> entries_;
  // Keys are the three places of a trace, in the order of its members.
  samples::StepCounter counter_;
  samples::PairCounter mispredicted_;
  u64 outside_ = 0;
};

// What several threads folded; at least one.
Traces merge(std::vector<TraceFolder> folders);

// Ranges and branches that were counted apart. `is_return`: whether the instruction at an address
// returns; ranges are taken to be reached by as many returns as went to their start.
template <class IsReturn>
Traces traces_of(const samples::Counts& counts, const IsReturn& is_return);

namespace detail {
Traces traces_of(const samples::Counts& counts, std::vector<samples::BranchCount> returns);
}

template <class IsReturn>
Traces traces_of(const samples::Counts& counts, const IsReturn& is_return) {
  std::vector<samples::BranchCount> returns;
  for (const auto& branch : counts.branches)
    if (branch.to != samples::external && branch.from != samples::external &&
        is_return(branch.from))
      returns.push_back(branch);
  return detail::traces_of(counts, std::move(returns));
}

}  // namespace pgokit::bolt
