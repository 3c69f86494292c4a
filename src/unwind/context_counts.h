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
// Columns, not a map of vectors: all ranges stand in one array and all branches in another, and
// each context owns a span of both.

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

  // What one context owns begins here; it ends where that of the next one begins.
  struct Entry {
    u64 first_range = 0, first_branch = 0;
    u32 key = 0;  // its CallPath or ContextId
    bool leaf_inlined = false;
  };

  explicit ContextCounts(Kind kind) : kind_(kind) {}
  // All of it, in the order that reading promises.
  ContextCounts(Kind kind, UninitializedVector<Entry> entries, UninitializedVector<Range> ranges,
                UninitializedVector<Branch> branches)
      : kind_(kind),
        entries_(std::move(entries)),
        ranges_(std::move(ranges)),
        branches_(std::move(branches)) {}
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
    return std::span(ranges_).subspan(first_range(i), ranges_end(i) - first_range(i));
  }
  std::span<const Branch> branches(size_t i) const {
    return std::span(branches_).subspan(first_branch(i), branches_end(i) - first_branch(i));
  }
  std::span<const Range> all_ranges() const { return ranges_; }
  std::span<const Branch> all_branches() const { return branches_; }
  // The code that the counts speak of: each range and branch at least once, with any count. Far
  // fewer than all of them if remember_touched() told.
  std::span<const Range> touched_ranges() const {
    return touched_ranges_.empty() ? all_ranges() : touched_ranges_;
  }
  std::span<const Branch> touched_branches() const {
    return touched_branches_.empty() ? all_branches() : touched_branches_;
  }

  // Gives back to the system what the ranges and branches from one context to another take:
  // nobody may look at them again. Any number of threads.
  void forget(size_t begin, size_t end);

  // Filling: what is added belongs to the context begun last. Any order; normalize() brings it into
  // the order that reading promises and sums what is there twice.
  void begin(CallPath path) { begin(static_cast<u32>(path), false); }
  void begin(profile::ContextId context, bool leaf_inlined) {
    begin(static_cast<u32>(context), leaf_inlined);
  }
  void add_range(Range range) { ranges_.push_back(range); }
  void add_branch(Branch branch) { branches_.push_back(branch); }
  void normalize();
  // All that is there, until more is added.
  void remember_touched(std::vector<Range> ranges, std::vector<Branch> branches) {
    touched_ranges_ = std::move(ranges);
    touched_branches_ = std::move(branches);
  }

 private:
  void begin(u32 key, bool leaf_inlined) {
    touched_ranges_.clear();
    touched_branches_.clear();
    entries_.push_back({ranges_.size(), branches_.size(), key, leaf_inlined});
  }
  u64 first_range(size_t i) const { return entries_[i].first_range; }
  u64 ranges_end(size_t i) const {
    return i + 1 < entries_.size() ? entries_[i + 1].first_range : ranges_.size();
  }
  u64 first_branch(size_t i) const { return entries_[i].first_branch; }
  u64 branches_end(size_t i) const {
    return i + 1 < entries_.size() ? entries_[i + 1].first_branch : branches_.size();
  }

  Kind kind_;
  UninitializedVector<Entry> entries_;
  UninitializedVector<Range> ranges_;
  UninitializedVector<Branch> branches_;
  std::vector<Range> touched_ranges_;
  std::vector<Branch> touched_branches_;
};

}  // namespace pgokit::unwind
