#pragma once

// A random walk over a program with a shadow call stack: the branch stacks and call chains that a
// processor and a kernel would have recorded of such a run. Deterministic for a seed.
//
//   Walker walker(program, {.seed = 7});
//   while (more) sink(walker.next());

#include <span>
#include <vector>

#include "perf/format.h"
#include "walk/program.h"

namespace pgokit::walk {

class Random {
 public:
  explicit Random(u64 seed) : state_(seed * 0x9e3779b97f4a7c15 + 0x1234567) { next(); }
  u64 next() {  // xorshift64*
    state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }
  u32 below(u32 n) { return static_cast<u32>((next() >> 32) * n >> 32); }
  bool chance(u32 per_mille) { return below(1000) < per_mille; }

 private:
  u64 state_;
};

struct WalkOptions {
  u64 seed = 1;
  u32 depth = 32;        // branches per sample
  u32 frames = 40;       // addresses per call chain
  u32 stack_limit = 48;  // calls deep before the walk heads for returns
  u32 period = 64;       // mean branches between two samples
  u32 hot = 100;         // per cent: how much the choice of functions leans to a few
};

struct WalkSample {
  std::vector<u64> chain;                   // leaf first; link-time addresses, or external ones
  std::vector<perf::BranchEntry> branches;  // newest first
};

class Walker {
 public:
  Walker(const Program& program, const WalkOptions& options);
  // Valid until the next call.
  const WalkSample& next();

 private:
  struct Taken {
    u64 from, to;
  };

  void step();
  void start_over();
  void take(u64 from, u64 to) { ring_[taken_++ % ring_.size()] = {from, to}; }
  void go(u32 branch, u32 to);
  void call(u32 branch, u32 callee);
  void call_outside(u32 branch);
  void leave_outside(u32 branch);
  void ret(u32 branch);
  bool takes_conditional(u32 branch);
  u32 pick_function(u64 site);
  u32 zipf(u32 n);
  bool must_return() const { return stack_.size() >= options_.stack_limit; }
  void fill_sample();

  const Program& program_;
  WalkOptions options_;
  Random random_;
  std::vector<u32> by_heat_;  // functions, the hottest first
  std::vector<double> heat_;  // running sums
  std::vector<u32> stack_;    // return instructions; nowhere: into the outside
  std::vector<Taken> ring_;
  u64 taken_ = 0;
  u32 at_ = nowhere;
  WalkSample sample_;
};

}  // namespace pgokit::walk
