#pragma once

// Callers that tail calls have removed from call chains: where a call goes to one function but the
// chain continues in another, the tail calls in between are put back if the samples know exactly
// one way.
//
//   MissingFrames missing(program, functions, counts, max_depth);
//   for (program::CodeIndex tail_call : missing.between(call, below)) ...  // the outermost first
//
// The ways are those that branches in the samples took. All that the counts can ask is answered in
// advance, in one order: any number of threads may ask.

#include <tsl/robin_map.h>

#include <span>
#include <vector>

#include "base/hash.h"
#include "generate/functions/code_functions.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

class MissingFrames {
 public:
  // `max_depth`: tail calls in a row to look at.
  MissingFrames(const program::Program& program, const CodeFunctions& functions,
                const unwind::ContextCounts& counts, u64 max_depth);

  // The tail calls between a call of a path and a function that its chain has next
  // (CodeFunctions::none: not known).
  std::span<const program::CodeIndex> between(program::CodeIndex call, u32 function) const;

 private:
  // A tail call of a function, and a function it went to.
  struct TailCall {
    u32 from_function;
    program::CodeIndex site;
    u32 to_function;
    auto operator<=>(const TailCall&) const = default;
  };
  // How many ways there are between two functions: none, one (then which), or more.
  struct Ways {
    u32 count = 0;
    u32 first = 0, size = 0;  // in kept_
  };
  // A function on the current way.
  struct Step {
    u32 function;
    u32 next;  // into tail_calls_
    u32 ways;
    size_t way_size;  // of the way up to here
  };

  void add_edge(program::CodeIndex from, program::CodeIndex to);
  void finish();
  void answer_all(const unwind::ContextCounts& counts);
  void answer(program::CodeIndex call, u32 function);
  Ways search(program::CodeIndex call, u32 function);
  u32 ways_to(u32 from, u32 target);
  bool answer_at_once(u32 from, u32 target, u32& ways);
  u32 leave(u32 target);
  Ways keep(u32 count, size_t first);

  const program::Program& program_;
  const CodeFunctions& functions_;
  u64 max_depth_;
  std::vector<std::pair<program::CodeIndex, u32>> calls_;  // site and function called, ascending
  std::vector<TailCall> tail_calls_;                       // ascending
  std::vector<u32> first_tail_call_;                       // of each function; one more
  std::vector<bool> is_tail_called_, visiting_;            // functions
  tsl::robin_map<u64, Ways, IntHash> ways_;                // function, target
  tsl::robin_map<u64, Ways, IntHash> answers_;             // call, function
  std::vector<program::CodeIndex> kept_, way_;
  std::vector<Step> steps_;
};

}  // namespace pgokit::generate
