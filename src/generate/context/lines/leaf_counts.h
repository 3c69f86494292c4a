#pragma once

// What one context's ranges and branches say of the lines of its leaf.
//
//   LeafCounts leaf(program, lines, callees, locations);     // one per thread
//   leaf.count(ranges, branches);
//   use(leaf.total(), leaf.rows(), leaf.targets(), leaf.entries());
//
// The count of a line is the largest sum over the pieces of its ranges, and at least that of the
// calls from it. Results last until the next count().

#include "generate/context/context_samples.h"
#include "generate/context/lines/leaf_lines.h"
#include "generate/functions/disjoint.h"
#include "generate/functions/known_callees.h"

namespace pgokit::generate {

class LeafCounts {
 public:
  struct Row {
    u32 location;
    u64 count;
  };
  struct Target {
    u32 location;
    NameId callee;
    u64 count;
  };
  // A callee that was entered.
  struct Entry {
    profile::LineLocation call_site;
    NameId callee;
    u64 count;

    auto key() const { return std::pair(call_site, callee); }
  };
  // Of the place that comes first: what ran there, calls apart.
  struct FirstPlace {
    u32 location = ContextSamples::none;
    u64 count = 0;
  };

  LeafCounts(const program::Program& program, const LeafLines& lines, const KnownCallees& callees,
             const LocationTable& locations);

  void count(std::span<const unwind::Range> ranges, std::span<const unwind::Branch> branches);
  // For those who know what they will count: both of each context, in this order, some time apart.
  void prefetch_places(std::span<const unwind::Range> ranges,
                       std::span<const unwind::Branch> branches) const;
  void prefetch_parts(std::span<const unwind::Range> ranges,
                      std::span<const unwind::Branch> branches) const;
  // Of a context that is not known: only what is entered.
  void count_entries(std::span<const unwind::Branch> branches);

  // Of instructions.
  u64 total() const { return total_; }
  // Of lines.
  u64 sum_of_lines() const;
  FirstPlace first() const;
  std::span<const Row> rows() const { return rows_; }
  std::span<const Target> targets() const { return targets_; }
  // By call site, each callee once.
  std::span<const Entry> entries() const { return entries_; }

 private:
  struct Place {
    u64 count = 0, calls = 0;
    bool seen = false;
  };

  void begin();
  void add_ranges(std::span<const unwind::Range> ranges);
  void add_piece(program::CodeIndex first, program::CodeIndex last, u64 count);
  void add_branch(const unwind::Branch& branch, const LeafLines::Part* part);
  Place& place(u32 location);

  const program::CodeMap& code_;
  dwarf::Discriminators discriminators_;
  const LeafLines& lines_;
  const KnownCallees& callees_;
  const LocationTable& locations_;
  u64 total_ = 0;
  std::vector<Place> places_;  // by location
  std::vector<u32> seen_;
  std::vector<Row> rows_;
  std::vector<Target> targets_;
  std::vector<Entry> entries_;
  std::vector<samples::RangeCount> overlapping_;
};

}  // namespace pgokit::generate
