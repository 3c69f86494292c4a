#pragma once

// The samples of one function (or of one inlined copy of it).
//
//   FunctionSamples& f = profile.function(names.intern("main"));
//   f.add_total(7);
//   f.raise_body({3, 0}, 7);                          // 7 samples on line 3 of the function
//   f.add_target({3, 0}, callee, 7);                  // which called `callee` 7 times
//   f.inlinee({4, 1}, callee).add_body({1, 0}, 2);    // callee inlined at line 4, discriminator 1
//
// Counts stop at their largest value. Nothing here copies names. All iteration over body, inlinees,
// targets is in file order only after sort() (Profile::sort() does all of it).

#include <memory>

#include "base/names.h"
#include "base/saturated.h"
#include "profile/model/fill_map.h"

namespace pgokit::profile {

// A place in a function: lines after its first one, or the number of a probe; and which of the
// copies or blocks on that line.
struct LineLocation {
  u32 line_offset = 0;
  u32 discriminator = 0;
  auto operator<=>(const LineLocation&) const = default;
  u64 hash() const { return mix_bits(u64{line_offset} << 32 | discriminator); }
};

// Lines that LLVM's readers take, but in places of inlinees. Only text can hold larger ones.
inline constexpr u32 largest_line = 0xffff;

// Bits of FunctionSamples::attributes.
enum ContextAttribute : u32 {
  was_inlined = 1,           // the profiled program had it inlined here
  should_be_inlined = 2,     // the pre-inliner's decision
  duplicated_into_base = 4,  // its samples are also in the function's own profile
};

// Deepest inlining that readers take and passes may build: bounds recursion.
inline constexpr unsigned max_inline_depth = 1000;

using NameCounts = FillMap<NameId, u64>;

struct BodyRecord {
  u64 samples = 0;
  std::unique_ptr<NameCounts> targets;  // null: no calls seen

  u64 target_sum() const;
};

// Entries of code whose first place was counted `first_count` times: 1 where it has samples at all.
inline u64 estimated_entries(u64 first_count, u64 total) {
  return first_count ? first_count : u64{total > 0};
}

struct FunctionSamples {
  using Inlinees = FillMap<NameId, std::unique_ptr<FunctionSamples>>;

  NameId name{};
  u32 attributes = 0;
  u64 total = 0;
  u64 head = 0;      // how often it was entered; zero in inlinees of files
  u64 checksum = 0;  // of the CFG the probes were made for; zero: not known
  FillMap<LineLocation, BodyRecord> body;
  FillMap<LineLocation, Inlinees> inlinees;
  std::unique_ptr<FillMap<LineLocation, NameCounts>> vtables;  // null: none seen

  void add_total(u64 count) { total = add_saturated(total, count); }
  void add_head(u64 count) { head = add_saturated(head, count); }
  void add_body(LineLocation at, u64 count) {
    u64& samples = body[at].samples;
    samples = add_saturated(samples, count);
  }
  // The count of a place is that of its most frequent instruction. Zero makes the record.
  void raise_body(LineLocation at, u64 count) {
    u64& samples = body[at].samples;
    if (count > samples) samples = count;
  }
  void add_target(LineLocation at, NameId callee, u64 count);
  void add_vtable(LineLocation at, NameId vtable, u64 count);
  // The samples of `callee` inlined at a place, made on first use; the reference stays valid.
  FunctionSamples& inlinee(LineLocation at, NameId callee);

  // How often the function was entered as far as its samples tell: the head in a context-sensitive
  // profile, else the count of its first place (inlinees there: their estimates summed), and at
  // least 1 where there are samples at all. Sorted.
  u64 entry_estimate(bool context_sensitive) const;

  bool empty() const { return total == 0 && body.empty() && inlinees.empty(); }
  void sort();
  // Its names are those of another table from now on.
  void rename(std::span<const NameId> renamed);
};

// What to do with two versions of a function: checksums that differ.
enum class ChecksumRule {
  first,    // the one that was there stays, as in LLVM's tools
  largest,  // that with the larger checksum stays, whichever order they come in
};

// Before the samples of another file are added: whether they may be. Takes on the checksum and
// attributes, and empties `into` where the other version replaces it. `fresh`: just made.
bool admit(FunctionSamples& into, bool fresh, u64 checksum, u32 attributes, ChecksumRule rule);

struct Addition {
  u64 weight = 1;
  ChecksumRule rule = ChecksumRule::first;
  std::span<const NameId> renamed;  // what names are in the table of the sum; empty: the same
};

// Adds the samples of another file. Returns how many functions, inlinees included, were left out or
// replaced.
u64 add(FunctionSamples& into, bool fresh, const FunctionSamples& from, const Addition& addition);

// Adds `from` times `weight`. Nothing is added, and false returned, where `into` has a checksum and
// `from` another one or none (of an inlinee: only that one is left out). Attributes come along only
// into an empty target. `renamed`: what the names of `from` are in the table of `into`; empty: the
// same.
bool merge(FunctionSamples& into, const FunctionSamples& from, u64 weight = 1,
           std::span<const NameId> renamed = {});

}  // namespace pgokit::profile
