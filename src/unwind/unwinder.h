#pragma once

// Virtual unwinding: the call chain of a sample is where its newest branch led to; played
// backwards, the branches tell the chain at each of them. A call takes its caller off the chain, a
// return puts one on.
//
//   Unwinder unwinder(program.code(), rules, false);      // one per thread
//   unwinder.unwind(calls, branches, weight);
//   Unwound all = merge(std::move(unwinders), samples, threads);
//
// What is left is a count for each step, a range of code and the branch that ends it, at the node of
// the chain it happened at. Where a sample contradicts itself, the rest of it counts without
// context.

#include <span>

#include "unwind/context_counts.h"
#include "unwind/node_log.h"
#include "unwind/path_table.h"
#include "unwind/sample_order.h"
#include "unwind/step_table.h"

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
      : code_(&code), paths_(policy), log_(ordered) {}

  // `calls`: the chain outermost first without the leaf, outside or instructions that call.
  // `branches`: newest first, none with both ends outside.
  // `sample`: its number among those of this unwinder.
  UnwindStats unwind(std::span<const Place> calls, std::span<const Branch> branches, u64 weight,
                     u32 sample = 0);

  // The same where it is known what happened at a chain: what is added belongs to the calls that
  // were entered last, outermost first.
  void enter(std::span<const Place> calls);
  void add(const Step& step, u64 count);

 private:
  friend class UnwoundMerger;
  // What a branch does to the chain.
  struct Effect {
    enum Kind : u8 { jump, call, ret } kind = jump;
    Place site = outside;  // of returns: the call that ends here
  };

  // What is known of a step.
  struct Known {
    u64 count = 0;
    Effect effect;
    bool has_range = false;  // that code can run through
  };
  // What is to be written down, with a frame of the stack.
  struct Event {
    u32 frame, step;
  };

  void number(std::span<const Branch> branches);
  u32 step_id(const Step& step);
  void follow(const Step& step, u32 id, u64 weight);
  // Where a step happened, now that its branch is undone.
  u32 frame_of(const Step& step) const {
    return step.from == outside ? CallStack::bottom : stack_.top();
  }
  void check_range(const Step& step);
  void apply(const Effect& effect, Place source);
  Effect effect_of(Place from, Place to) const;
  Place call_before(Place place) const;

  const program::CodeMap* code_;
  PathTable paths_;
  StepTable steps_;
  std::vector<Known> known_;  // of steps
  NodeLog log_;
  bool left_program_ = false;

  // Of the sample in hand.
  CallStack stack_;
  std::vector<Step> taken_;
  std::vector<u32> ids_;
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
  // How often each range was seen, and whether code can run through it: else nobody counts it.
  std::vector<u64> range_counts;
  std::vector<bool> range_possible;
  // Steps, ascending by their ranges, those without one last: indices of `ranges` and `branches`;
  // none: that is not counted.
  struct StepParts {
    u32 range = none, branch = none;
  };
  static constexpr u32 none = ~u32{0};
  std::vector<StepParts> steps;
  // Things are steps.
  SortedLog log;
  // Some code of the program was called from outside of it.
  bool left_program = false;
};

// The branches that are counted, without counts.
std::vector<Branch> touched_branches(const Unwound& unwound);

// `samples`: for each unwinder, by number of the sample, what decides the place of the sample among
// all; empty where they were not remembered.
Unwound merge(std::vector<Unwinder> unwinders, const std::vector<std::vector<NotedSample>>& samples,
              unsigned threads);

}  // namespace pgokit::unwind
