#pragma once

// Virtual unwinding: the call chain of a sample is where its newest branch led to; played
// backwards, the branches tell the chain at each of them. A call takes its caller off the chain, a
// return puts one on.
//
//   Unwinder unwinder(program.code(), rules, false);      // one per thread
//   unwinder.unwind(calls, branches, weight);
//   Unwound all = merge(std::move(unwinders), samples, threads);
//
// What is left is a count for each range of code between two branches, and for each branch, at the
// node of the chain it happened at. Where a sample contradicts itself, the rest of it counts
// without context.

#include <span>

#include "unwind/context_counts.h"
#include "unwind/node_log.h"
#include "unwind/pair_table.h"
#include "unwind/path_table.h"
#include "unwind/sample_order.h"

namespace pgokit::unwind {

// What is odd about the branches of a sample.
struct UnwindStats {
  u32 branches = 0;            // all of them
  u32 mismatched_frames = 0;   // calls that are not where the chain says
  u32 mismatched_outside = 0;  // ... from outside of the program
  u32 paired_outside = 0;      // the program was left and entered again
  u32 unpaired_outside = 0;    // it was left and never entered, or the other way round
};

class Unwinder {
 public:
  struct Branch {
    Place from = outside, to = outside;
  };

  // `ordered`: remember which sample was the first to be at a place.
  Unwinder(const program::CodeMap& code, const ContextPolicy& policy, bool ordered)
      : code_(&code), paths_(policy), range_log_(ordered), branch_log_(ordered) {}

  // `calls`: the chain outermost first without the leaf, outside or instructions that call.
  // `branches`: newest first, none with both ends outside.
  // `sample`: its number among those of this unwinder.
  UnwindStats unwind(std::span<const Place> calls, std::span<const Branch> branches, u64 weight,
                     u32 sample = 0);

  // The same where it is known what happened at a chain: what is added belongs to the calls that
  // were entered last, outermost first.
  void enter(std::span<const Place> calls);
  void add_range(Place first, Place last, u64 count);
  void add_branch(const Branch& branch, u64 count);

 private:
  friend class UnwoundMerger;
  // What a branch does to the chain.
  struct Effect {
    enum Kind : u8 { jump, call, ret } kind = jump;
    Place site = outside;  // of returns: the call that ends here
  };

  // Numbers of a branch and of the range behind it, up to the next newer branch.
  struct Step {
    u32 branch = 0, range = 0;
  };
  // What is to be written down, with a frame of the stack.
  struct Event {
    u32 frame, thing;
    NodeLog* log;
  };

  void number(std::span<const Branch> branches);
  u32 range_id(Place first, Place last);
  u32 branch_id(const Branch& branch);
  void follow_range(u32 range, Place first, Place last, u64 weight);
  void follow_branch(const Branch& branch, u32 id);
  void note(NodeLog& log, u32 frame, u32 thing) {
    stack_.prefetch(frame, paths_);
    events_.push_back({frame, thing, &log});
  }
  void apply(const Effect& effect, Place source);
  Effect effect_of(const Branch& branch) const;
  Place call_before(Place place) const;

  const program::CodeMap* code_;
  PathTable paths_;
  PairTable ranges_;
  std::vector<u64> range_counts_;
  std::vector<bool> range_possible_;
  PairTable branches_;
  std::vector<Effect> effects_;
  NodeLog range_log_, branch_log_;
  bool left_program_ = false;

  // Of the sample in hand.
  CallStack stack_;
  std::vector<Step> steps_;
  std::vector<Event> events_;
  bool valid_ = true;
  UnwindStats stats_;
};

// What all threads found, in an order that does not tell how many they were.
struct Unwound {
  // Parents before children; [0] is no context.
  std::vector<PathTable::Node> nodes;
  // Pairs of places, ascending: first and last instruction, source and target.
  std::vector<u64> ranges, branches;
  // How often each range was seen, and whether code can run through it: impossible ones are in no
  // log.
  std::vector<u64> range_counts;
  std::vector<bool> range_possible;
  // Things are indices of `ranges` and of `branches`.
  SortedLog range_log, branch_log;
  // Some code of the program was called from outside of it.
  bool left_program = false;
};

// The branches that are in the log, without counts.
std::vector<Branch> touched_branches(const Unwound& unwound);

// `samples`: for each unwinder, by number of the sample, what decides the place of the sample among
// all; empty where they were not remembered.
Unwound merge(std::vector<Unwinder> unwinders, const std::vector<std::vector<NotedSample>>& samples,
              unsigned threads);

}  // namespace pgokit::unwind
