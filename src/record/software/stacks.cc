#include "record/software/stacks.h"

#include <algorithm>
#include <cmath>

namespace pgokit::record {
namespace {

// What recording adds to a direct and to an indirect branch, in cycles of the time stamp counter,
// and what a branch takes at least. Stubs mostly run beside the program's own instructions: larger
// figures made the counts of a program with different parts worse (docs/record.md).
constexpr double cycles_of_direct = 1;
constexpr double cycles_of_indirect = 1;
constexpr double least_cycles = 2;

// The first branches of a window are slow, as its code has left the caches since the last one. A
// window that a system call has ended early tells nothing of the program's speed.
constexpr u64 least_timed = 2000;

}  // namespace

// What a branch of the window would take without the recording of them.
double StackCutter::own_cycles(const Window& window) {
  auto taken = static_cast<double>(window.taken.size());
  auto indirect = static_cast<double>(std::ranges::count_if(window.taken, &Edge::indirect)) / taken;
  double own = static_cast<double>(window.cycles) / static_cast<double>(window.passed) -
               indirect * cycles_of_indirect - (1 - indirect) * cycles_of_direct;
  return std::max(own, least_cycles);
}

// Only the square root of the speed counts. What a copy adds to a branch, and what it costs that
// its code is not in the caches, differs more from window to window than the speed of some programs
// does: with all of it lua's profile was up to 5 points of overlap worse, and no program's 2 better.
//
// A window that was cut short counts like a whole one: the branches before what cuts windows are in
// as many of them as others.
double StackCutter::weight(const Window& window) {
  constexpr double usual_cycles = 8;
  if (window.cycles > 0 && window.passed >= least_timed) known_cycles_ = own_cycles(window);
  return std::sqrt(usual_cycles / known_cycles_) / window.reach;
}

size_t StackCutter::stacks_of(const Window& window) {
  size_t taken = window.taken.size();
  if (taken == 0) return 0;
  size_t most = taken < depth_ ? 1 : taken / depth_;
  if (window.cycles == 0 || window.passed < least_timed) return 1;
  auto length = static_cast<double>(std::min<size_t>(taken, depth_));
  double stacks = static_cast<double>(cycles_) / own_cycles(window) / length;
  stacks += std::uniform_real_distribution<>(0, 1)(random_);
  return std::min(most, static_cast<size_t>(stacks));
}

void StackCutter::undo(std::vector<u64>& chain, std::span<const Edge> newer) {
  if (chain.empty()) return;
  for (size_t i = newer.size(); i-- > 0;) {
    const Edge& edge = newer[i];
    if (edge.kind == EdgeKind::ret) {
      chain.insert(chain.begin() + 1, edge.to);
    } else if (edge.kind == EdgeKind::call) {
      bool known = chain.size() > 1 && chain[1] == edge.return_address();
      if (!known) return chain.resize(1);
      chain.erase(chain.begin() + 1);
    }
  }
}

// A jump out of several functions (longjmp) is no return: what was undone across it is wrong. Where
// the newest branch is a call, the caller is known.
void StackCutter::check_caller(std::vector<u64>& chain, const Edge& newest) {
  bool called = newest.kind == EdgeKind::call && chain[0] == newest.to;
  if (called && chain.size() > 1 && chain[1] != newest.return_address()) chain.resize(1);
}

// The end of a window that something has cut short is no random place: all of them would end right
// before the same system calls.
size_t StackCutter::left_out(const Window& window) {
  if (!window.cut_short || window.taken.size() <= depth_) return 0;
  return random_() % (window.taken.size() - depth_ + 1);
}

void StackCutter::cut(const Window& window, std::span<const u64> chain, const Each& each) {
  size_t stacks = stacks_of(window);
  if (stacks == 0) return;
  size_t kept = window.taken.size() - left_out(window);
  std::span<const Edge> taken = std::span(window.taken).first(kept);
  stacks = std::min(stacks, std::max<size_t>(kept / depth_, 1));
  std::vector<std::vector<u64>> chains(stacks);  // newest first
  auto end_of = [&](size_t stack) { return taken.size() - stack * depth_; };
  std::vector<u64> own(chain.begin(), chain.end());
  undo(own, std::span(window.taken).subspan(kept));
  for (size_t i = 0; i < stacks && !own.empty(); ++i) {
    if (i > 0) undo(own, taken.subspan(end_of(i), depth_));
    if (end_of(i) < window.taken.size()) own[0] = taken[end_of(i) - 1].to;
    check_caller(own, taken[end_of(i) - 1]);
    chains[i] = own;
  }
  for (size_t i = stacks; i-- > 0;) {
    size_t end = end_of(i);
    size_t length = std::min<size_t>(end, depth_);
    each(taken.subspan(end - length, length), chains[i]);
  }
}

}  // namespace pgokit::record
