#pragma once

// Counts branches by calling context, from the logs of threads (x86/branch_log.h).
//
//   ContextCounter contexts(counter);
//   ThreadContext thread;                                     // one per thread
//   contexts.begins(thread, space, regs);                     // at first, or after a break
//   contexts.add(thread, space, BranchLog(bytes));            // what the thread has logged since
//   contexts.ends(thread, space, address);
//   contexts.hand_over();                                     // the sums, to `counter`
//   auto by_context = contexts.contexts(counter.counts(1));
//
// A call is on the thread's stack until the stack pointer is above where it has put its return
// address: so returns, longjmp() and exceptions end as many calls as they leave. A jump ends none
// and makes none: what is called by a tail call, or through a linkage table, has the context of the
// function that jumps. The handler of a signal begins without context, beside the calls that it
// interrupts. Contexts of the same calls have the same counts in all threads and processes.
//
// Nothing is allocated per branch, and memory is bounded (CallTrie, StepTable): what is too much for
// it is counted at a context that begins later, or at none.

#include <tsl/robin_map.h>

#include <map>
#include <vector>

#include "perf/branch_contexts.h"
#include "record/software/branch_counter.h"
#include "record/software/call_chain.h"
#include "record/software/call_trie.h"
#include "record/software/step_table.h"
#include "record/x86/branch_log.h"

namespace pgokit::record {

// Where a thread is.
struct ThreadContext {
  struct Call {
    u64 stack = 0;  // where its return address is
    u32 node = 0;   // context of what was called
    // Of the handler of a signal:
    u32 outer_handler = 0;
    u64 interrupted = 0;  // the stack pointer before
  };
  // Deeper calls are taken for a new beginning.
  static constexpr size_t most_calls = 1 << 22;

  std::vector<Call> calls;
  u32 handler = 0;  // the innermost one: its number in `calls` plus 1; 0: there is none
  u32 node = CallTrie::root;
  u32 last = StepTable::none;  // whose branch was made last, or
  u32 start = 0;               // where counting began
  bool known = false;
};

class ContextCounter {
 public:
  explicit ContextCounter(BranchCounter& counter) : counter_(counter) {}

  // Of a thread that is new the call chain is taken as it is. `interrupted`: the kernel has just
  // called the handler of a signal there, and that was the stack pointer before; otherwise 0.
  void begins(ThreadContext& thread, AddressSpace& space, const Registers& regs,
              u64 interrupted = 0);
  void ends(ThreadContext& thread, const AddressSpace& space, u64 address);
  // How many branches there were.
  u64 add(ThreadContext& thread, AddressSpace& space, BranchLog log);
  // One that is not in the log, with the stack pointer behind it.
  void add(ThreadContext& thread, AddressSpace& space, const Edge& edge, u64 stack);

  // The sums, once: BranchCounter has no counts of these branches before.
  void hand_over();
  // `counts`: of the whole recording.
  perf::BranchContexts contexts(const perf::BranchCounts& counts) const;

 private:
  using Place = BranchCounter::Place;
  // Of a branch by number.
  struct Ends {
    u32 to = 0, returns_to = 0;  // places
  };
  struct KnownIndirect {
    u64 target = 0, numbering = 0;
    u32 edge = 0, number = 0;
  };
  struct Rest {
    u32 node, start, end;
    auto operator<=>(const Rest&) const = default;
  };
  static constexpr u32 no_number = u32(-1);
  static constexpr size_t most_known = 1 << 13;

  struct PlaceHash {
    size_t operator()(const Place& place) const;
  };

  void take_chain(ThreadContext& thread, AddressSpace& space, const Registers& regs);
  u32 number_of(AddressSpace& space, const LoggedBranch& branch);
  u32 indirect_number(AddressSpace& space, const LoggedBranch& branch);
  u32 noted(u32 number, const AddressSpace& space, const Edge& edge);
  u32 place(const AddressSpace& space, u64 address);
  u32 step_to(ThreadContext& thread, u32 number);
  u32 search_step(const ThreadContext& thread, u32 number);
  u32 start_of(const ThreadContext& thread) const;
  void call(ThreadContext& thread, u32 at, u64 stack);
  void make(ThreadContext& thread, u32 number, const LoggedBranch& branch);
  static void leave_handlers(ThreadContext& thread, u64 stack);
  static void come_to(ThreadContext& thread, u64 stack);
  void call_handler(ThreadContext& thread, u64 stack, u64 interrupted);
  void push(ThreadContext& thread, const ThreadContext::Call& call);
  std::vector<u32> order_of_nodes() const;

  BranchCounter& counter_;
  CallTrie trie_;  // calls are places that are returned to
  StepTable steps_;
  std::vector<u32> children_;  // by step: what a call leads to
  std::map<Rest, u64> rests_;
  std::vector<Ends> ends_;  // by number of the branch
  tsl::robin_map<Place, u32, PlaceHash> place_numbers_;
  std::vector<Place> places_;
  std::vector<KnownIndirect> known_ = std::vector<KnownIndirect>(most_known);
  ChainUnwinder unwinder_;
  std::vector<ChainUnwinder::ChainFrame> chain_;
  u64 cut_ = 0;  // counted at a context that begins later than theirs
};

}  // namespace pgokit::record
