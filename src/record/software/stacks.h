#pragma once

// How a long window becomes samples of ordinary branch stacks.
//
//   StackCutter cutter(32, cycles);
//   cutter.cut(window, chain, [&](std::span<const Edge> taken, std::span<const u64> chain) { ...
//   });
//
// A stop costs much, a branch in a window little. So a window is many times as long as a stack, and
// is cut into stacks that follow each other; call chains of the earlier ones are got by undoing the
// calls and returns behind them.
//
// How many stacks of a window are kept decides what is counted. Windows begin, and their last
// branches are recorded, at random points in *time*; kept whole they would show slow code more
// often than it runs. A branch is to be recorded as often as it is *taken*, like by a processor
// that samples at taken branches. So the number of entries kept is that of the branches taken in a
// fixed time at the speed of the window's end, rounded at random to whole stacks.

#include <functional>
#include <random>
#include <span>
#include <vector>

#include "record/software/window.h"

namespace pgokit::record {

class StackCutter {
 public:
  using Each = std::function<void(std::span<const Edge> taken, std::span<const u64> chain)>;

  StackCutter(u32 depth, u64 cycles) : depth_(depth), cycles_(cycles) {}

  // Stacks come in the order of time, their entries oldest first. `chain` is that of the window's
  // end, leaf first; it may be empty.
  void cut(const Window& window, std::span<const u64> chain, const Each& each);

  // That the program takes by itself for what it did in the window: its copy takes longer for a
  // branch than the program does, but by much the same factor for all code.
  double own_cycles(const Window& window);
  // Of what the window has counted, where it stands for so many cycles of the program's time: as
  // often as that has the time that the window has counted for.
  double weight(const Window& window, double cycles);

  // Undoes the branches `newer` on a call chain. The leaf is left as it is.
  static void undo(std::vector<u64>& chain, std::span<const Edge> newer);

 private:
  static void check_caller(std::vector<u64>& chain, const Edge& newest);
  double cycles_of_branch(const Window& window);
  size_t stacks_of(const Window& window);
  size_t left_out(const Window& window);

  u32 depth_;
  u64 cycles_;
  double cycles_of_branch_ = 0;  // of the last window that tells; 0: none has
  std::minstd_rand random_{1};   // the same for each recording
};

}  // namespace pgokit::record
