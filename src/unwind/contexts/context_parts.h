#pragma once

// Counts of contexts that several threads found, each part with numbers of its own, become one.
//
//   std::vector<ContextPart> parts = ...;
//   ContextCounts counts = join(std::move(parts), threads);      // all but the names
//
// All but giving numbers to contexts (context_numbers.h) is done part by part, on all cores.

#include "unwind/context_counts.h"

namespace pgokit::unwind {

// Columns, as in ContextCounts, in any order: a context may have several entries.
struct PartCounts {
  struct Entry {
    u32 context = 0;
    u32 order = ~u32{0};                    // of the first of its samples
    u32 first_range = 0, first_branch = 0;  // up to those of the next one
    bool leaf_inlined = false;
  };

  std::vector<Entry> entries;
  std::vector<Range> ranges;
  std::vector<Branch> branches;

  std::span<const Range> ranges_of(size_t i) const;
  std::span<const Branch> branches_of(size_t i) const;
  // Adds what other counts have in an entry to `context`, the last one or a new one.
  void append(const PartCounts& from, size_t i, u32 context);
};

struct ContextPart {
  std::vector<profile::Contexts::Node> nodes;  // the contexts, parents first; [0] is none
  PartCounts counts;
};

// Parts as they are, if the contexts ascend from each to the next and are there once, in order.
ContextCounts concatenate(ContextCounts::Kind kind, std::vector<PartCounts> parts,
                          unsigned threads);

// Contexts have the order of the parts. Where a function was called and inlined in the same context
// (in several copies of the caller), the first sample decides which it is said to be.
ContextCounts join(std::vector<ContextPart> parts, unsigned threads);

}  // namespace pgokit::unwind
