#pragma once

// How often each range of code ran, and each branch was taken, in each calling context: what is
// left of hybrid samples once they are unwound, and what a context-sensitive raw profile holds.
//
//   ContextCounts counts(ContextCounts::Kind::probes);
//   CallPath path = counts.paths.child(CallPath::empty, call);
//   counts.begin(path);
//   counts.add_range({first, last, 10});
//   counts.add_branch({last, target, 10});
//   counts.normalize();
//   for (size_t i = 0; i < counts.size(); ++i) use(counts.path(i), counts.ranges(i));
//
// A context is
//   probes: the call sites outermost first, without the leaf, after compression of recursion and
//           limits of depth: a CallPath. Inlined calls are in the probes of the code itself.
//   lines:  the frames outermost first, the leaf last and without location, inlined calls among
//           them: a profile::ContextId. `none` has what belongs to no context.
// Columns, not a map of vectors: ranges stand in one array and branches in another, a pair of them
// for each of the parts that made them, and each context owns a span of both.

#include <span>
#include <vector>

#include "base/uninitialized_vector.h"
#include "profile/model/context.h"
#include "program/code_map.h"
#include "unwind/call_paths.h"

namespace pgokit::unwind {

using program::CodeIndex;

// All instructions from `first` to `last`, an instruction too, ran `count` times.
struct Range {
  CodeIndex first, last;
  u64 count = 0;
  u64 key() const { return u64{static_cast<u32>(first)} << 32 | static_cast<u32>(last); }
  bool operator==(const Range&) const = default;
};

struct Branch {
  CodeIndex from;  // no_code: from outside of the program
  CodeIndex to;
  u64 count = 0;
  u64 key() const { return u64{static_cast<u32>(from)} << 32 | static_cast<u32>(to); }
  bool operator==(const Branch&) const = default;
};

class ContextCounts {
 public:
  enum class Kind : u8 { probes, lines };

  struct Columns {
    std::vector<Range> ranges;
    std::vector<Branch> branches;
  };
  // What one context owns.
  struct Entry {
    u32 key = 0;  // its CallPath or ContextId
    u32 columns : 31 = 0;
    u32 leaf_inlined : 1 = false;
    u32 first_range = 0, ranges = 0;
    u32 first_branch = 0, branches = 0;
  };

  explicit ContextCounts(Kind kind) : kind_(kind), columns_(1) {}
  // All of it, in the order that reading promises.
  ContextCounts(Kind kind, UninitializedVector<Entry> entries, std::vector<Columns> columns);
  Kind kind() const { return kind_; }

  // What the keys speak of: `paths` for probes; `contexts` and `names` for lines.
  CallPaths paths;
  profile::Contexts contexts;
  profile::NameTable names;

  // Reading. Contexts ascend by path() or context() and each is there once, as its ranges and its
  // branches (by their addresses; `from` outside comes last).
  size_t size() const { return entries_.size(); }
  CallPath path(size_t i) const { return CallPath(entries_[i].key); }
  profile::ContextId context(size_t i) const { return profile::ContextId(entries_[i].key); }
  // Lines: the code lies in an inlined copy of the leaf.
  bool leaf_inlined(size_t i) const { return entries_[i].leaf_inlined; }
  std::span<const Range> ranges(size_t i) const {
    const auto& entry = entries_[i];
    return {columns_[entry.columns].ranges.data() + entry.first_range, entry.ranges};
  }
  std::span<const Branch> branches(size_t i) const {
    const auto& entry = entries_[i];
    return {columns_[entry.columns].branches.data() + entry.first_branch, entry.branches};
  }
  // Of all contexts together.
  u64 range_count() const;
  u64 branch_count() const;
  // The code that the counts speak of: each range and branch at least once, with any count. Far
  // fewer than all of them if remember_touched() told.
  std::span<const Range> touched_ranges() const {
    return is_told_ ? touched_.ranges : columns_[0].ranges;
  }
  std::span<const Branch> touched_branches() const {
    return is_told_ ? touched_.branches : columns_[0].branches;
  }

  // Nobody will look at the ranges and branches from one context to another again: columns are freed
  // with the last of them. Each context once, any number of threads.
  void forget(size_t begin, size_t end);

  // Filling: what is added belongs to the context begun last. Any order; normalize() brings it into
  // the order that reading promises and sums what is there twice.
  void begin(CallPath path) { begin(static_cast<u32>(path), false); }
  void begin(profile::ContextId context, bool leaf_inlined) {
    begin(static_cast<u32>(context), leaf_inlined);
  }
  void add_range(Range range) {
    columns_[0].ranges.push_back(range);
    ++entries_.back().ranges;
  }
  void add_branch(Branch branch) {
    columns_[0].branches.push_back(branch);
    ++entries_.back().branches;
  }
  void normalize();
  // All that is there, until more is added.
  void remember_touched(std::vector<Range> ranges, std::vector<Branch> branches) {
    touched_ = {std::move(ranges), std::move(branches)};
    is_told_ = true;
  }

 private:
  void begin(u32 key, bool leaf_inlined) {
    touched_ = {};
    is_told_ = false;
    entries_.push_back({.key = key,
                        .leaf_inlined = leaf_inlined,
                        .first_range = static_cast<u32>(columns_[0].ranges.size()),
                        .first_branch = static_cast<u32>(columns_[0].branches.size())});
  }

  Kind kind_;
  UninitializedVector<Entry> entries_;
  std::vector<Columns> columns_;  // one where contexts are added
  std::vector<u32> unread_;       // contexts of each, where it was told at once
  Columns touched_;
  bool is_told_ = false;
};

}  // namespace pgokit::unwind
