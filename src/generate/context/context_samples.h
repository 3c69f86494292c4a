#pragma once

// The samples of all calling contexts as columns: millions of contexts with a few rows each.
//
//   ContextSamples samples = ...;                        // context_lines, context_probes
//   for (u32 context = 1; context < samples.size(); ++context)
//     samples.records.read(
//         context, [&](u32 location, u64 count) { use(samples.locations[location], count); },
//         [](u32 location, NameId callee, u64 count) {}, [](u32 list, u64 count) {});
//
// A place of a context counts what its rows and lists say together: rows of one place add up, and a
// list is a row for each of its places. Whoever has one has also all places of the list that this
// one is of, even if they were never counted. Contexts are a trie:
// parents have smaller numbers than their children, siblings are neighbours in the order that LLVM
// has them in, 0 is the root. order_contexts() makes it.

#include <ranges>

#include "base/uninitialized_vector.h"
#include "generate/context/callee_key.h"
#include "generate/context/context_records.h"
#include "generate/context/location_table.h"
#include "generate/context/short_counts.h"
#include "profile/model/profile.h"

namespace pgokit::generate {

class ContextSamples {
 public:
  static constexpr u32 root = 0, none = ~u32{0};

  // Bits of Context::flags.
  enum Flag : u32 {
    has_samples = 1,      // else it only leads to others that have
    entered = 2,          // `entries` were seen; else they are the count of its first place
    was_inlined = 4,      // the profiled program had it inlined
    has_other_calls = 8,  // targets of it that are no children
  };
  // What is called at a place of a caller, whatever context that is in. By `key`, which tells the
  // callees of one caller apart and orders them.
  struct Call {
    u64 key = 0;
    NameId callee{};
    profile::LineLocation site;
  };
  // What contexts of one function have together.
  struct List {
    u32 end;    // in list_locations; it begins where the one before ends
    u32 whole;  // all that there is where it is
    NameId function;
  };
  // Half a cache line. Counts are in `counts`.
  struct Context {
    u32 parent;
    u32 call;            // in `calls`
    u32 first_location;  // its first place, where it was not entered; none: it has no place
    u32 first_child;
    u32 child_count : 28;
    u32 flags : 4;
    ShortCount entries;
    ShortCount total;   // with `totals_are_sums` only whether there is one
    ShortCount called;  // of the parent's targets those that are this one

    void set(Flag flag) { flags = (flags | flag) & 0xf; }
  };
  size_t size() const { return contexts.size(); }
  NameId function(u32 context) const { return calls[contexts[context].call].callee; }
  profile::LineLocation site(u32 context) const { return calls[contexts[context].call].site; }
  auto children(u32 context) const {
    const auto& parent = contexts[context];
    return std::views::iota(parent.first_child, parent.first_child + parent.child_count);
  }
  // Of a function of the contexts.
  u64 guid(NameId function) const { return guids[static_cast<size_t>(function)]; }
  // Where it stands among `calls`, or would.
  u64 key(NameId callee, profile::LineLocation site) const {
    return callee_key(guid(callee), site);
  }
  u64 head(u32 context) const {
    return contexts[context].flags & entered ? counts.get(contexts[context].entries) : 0;
  }
  // The places of a list, as often as it counts them.
  std::span<const u32> listed(u32 list) const {
    u32 begin = list ? lists[list - 1].end : 0;
    return std::span(list_locations).subspan(begin, lists[list].end - begin);
  }

  profile::NameTable names;
  profile::Flags flags;
  LocationTable locations;
  UninitializedVector<Context> contexts;
  ShortCounts counts;
  std::vector<Call> calls;
  std::vector<u64> guids;      // by NameId; 0: no context is of it
  std::vector<u64> checksums;  // by NameId; empty: there are none
  ContextRecords records;
  std::vector<u32> list_locations;  // of one list after the other
  std::vector<List> lists;          // by number
  bool totals_are_sums = false;     // what a context counted is the sum of its places

  // Once all records are there: what Context says of the first place, of calls, and of totals if
  // they are sums.
  void finish(unsigned threads);
};

// The same as a profile with an object for each context.
profile::Profile to_profile(ContextSamples samples);

}  // namespace pgokit::generate
