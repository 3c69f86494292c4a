#pragma once

// The samples of all calling contexts as columns: millions of contexts with a few rows each.
//
//   ContextSamples samples = ...;                        // context_lines, context_probes
//   for (u32 context = 1; context < samples.size(); ++context)
//     for (const auto& row : samples.rows.of(context)) use(samples.locations[row.location],
//     row.count);
//
// A place of a context counts what its rows and lists say together: rows of one place add up, and a
// list gives the places that are there even if they were never counted. Contexts are a trie:
// parents have smaller numbers than their children, 0 is the root.

#include "base/cursor.h"
#include "generate/context/context_rows.h"
#include "generate/context/location_table.h"
#include "profile/model/profile.h"

namespace pgokit::generate {

class ContextSamples {
 public:
  static constexpr u32 root = 0, none = ~u32{0};

  // Bits of Context::flags.
  enum Flag : u32 {
    has_samples = 1,  // else it only leads to others
    in_use = 2,       // it has samples, or leads to some that have
    entered = 4,      // `entries` were seen; else they are the count of its first place
    was_inlined = 8,  // the profiled program had it inlined
  };
  struct Context {
    u32 parent = root;
    NameId function{};
    profile::LineLocation site;  // in the parent
    u32 first_location = none;   // its first place, where it was not entered
    u32 flags = 0;
    u64 entries = 0;
    u64 total = 0;
  };
  // Without padding: there are tens of millions.
  struct Row {
    Le<u32> location;
    Le<u64> count;
  };
  struct Target {
    u32 location;
    NameId callee;
    u64 count;
  };

  size_t size() const { return contexts.size(); }
  u64 head(u32 context) const {
    return contexts[context].flags & entered ? contexts[context].entries : 0;
  }
  // The places that all contexts with a list have.
  std::span<const u32> listed(u32 list) const {
    return std::span(list_locations).subspan(list_ends[list] - list_size(list), list_size(list));
  }

  profile::NameTable names;
  profile::Flags flags;
  LocationTable locations;
  std::vector<Context> contexts;
  std::vector<u64> checksums;  // by NameId; empty: there are none
  ContextRows<Row> rows;
  ContextRows<Target> targets;
  ContextRows<u32> lists;           // probes: numbers of lists
  std::vector<u32> list_locations;  // of one list after the other
  std::vector<u32> list_ends;       // by number

  // Once all rows are there: what Context says of the first place, and what is in use.
  void finish(unsigned threads);

 private:
  u32 list_size(u32 list) const { return list_ends[list] - (list ? list_ends[list - 1] : 0); }
};

// The same as a profile with an object for each context.
profile::Profile to_profile(ContextSamples samples);

}  // namespace pgokit::generate
