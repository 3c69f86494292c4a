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
// How many stacks of a window are kept decides what is counted. Windows begin at random points in
// *time*; kept whole they would show slow code more often than it runs. A branch is to be recorded
// as often as it is *taken*, like by a processor that samples at taken branches. So a window counts
// by how fast the program was where it began, as if windows began at random branches: the number of
// entries kept is that of the branches taken in a fixed time at that speed, rounded at random to
// whole stacks. They lie a random number of branches behind the beginning, tens of thousands, which
// is no place that a stop has disturbed.

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

  // Of what the window has counted: windows stand for the same time each, whose branches are to
  // count as often as they are taken in it, as far as the window's speed tells that.
  double weight(const Window& window);

  // That the program takes by itself for what it did in the window, as far as its speed and the
  // window's cycles tell that.
  double own_cycles(const Window& window);

  // Undoes the branches `newer` on a call chain. The leaf is left as it is.
  static void undo(std::vector<u64>& chain, std::span<const Edge> newer);

 private:
  static void check_caller(std::vector<u64>& chain, const Edge& newest);
  static double speed(const Window& window);
  double known_speed(const Window& window);
  size_t stacks_of(const Window& window);
  size_t left_out(const Window& window);

  u32 depth_;
  u64 cycles_;
  double known_speed_ = 1;      // of the last window that tells
  std::minstd_rand random_{1};  // the same for each recording
};

}  // namespace pgokit::record
