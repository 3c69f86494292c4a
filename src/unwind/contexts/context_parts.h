#pragma once

// Counts of contexts that several threads found, each part with numbers of its own, become one.
//
//   std::vector<ContextPart> parts = ...;
//   ContextCounts counts = join(std::move(parts), threads);      // all but the names
//
// All but giving numbers to contexts (context_numbers.h) is done part by part, on all cores.

#include "unwind/context_counts.h"

namespace pgokit::unwind {

// Columns, as in ContextCounts.
struct PartCounts {
  struct Entry {
    u32 context = 0;
    u32 order = ~u32{0};  // of the first of its samples
    u32 first_range = 0, ranges = 0;
    u32 first_branch = 0, branches = 0;
    bool leaf_inlined = false;
  };

  std::vector<Entry> entries;
  ContextCounts::Columns columns;

  // What is added to the columns from here on is of this context, up to end().
  Entry& begin(u32 context);
  void end();
  void clear();
  // Adds what other counts have in an entry to `context`, the last one or a new one.
  void append(const PartCounts& from, const Entry& entry, u32 context);
};

// The sums of what may be in any order, and of a context in several entries: as join() wants it.
// Into the memory that `sums` has.
void sum_by_context(const PartCounts& counts, PartCounts& sums);

struct ContextPart {
  std::vector<profile::Contexts::Node> nodes;  // the contexts, parents first; [0] is none
  PartCounts counts;                           // by context, each once
};

// Parts as they are, if the contexts ascend from each to the next and are there once, in order.
ContextCounts concatenate(ContextCounts::Kind kind, std::vector<PartCounts> parts,
                          unsigned threads);

// Contexts have the order of the parts. Where a function was called and inlined in the same context
// (in several copies of the caller), the first sample decides which it is said to be.
ContextCounts join(std::vector<ContextPart> parts, unsigned threads);

}  // namespace pgokit::unwind
