#include "record/software/stacks.h"

#include <algorithm>
#include <cmath>

namespace pgokit::record {
namespace {

constexpr double usual_cycles = 3.5;  // of a branch by itself

}  // namespace

// How fast the program made branches where the window was, 1: as usual. A copy tells only part of
// that: what it adds to a branch is hidden where the program waits anyway, and most of the time
// where it does not; of branches that take long it adds nothing worth mention. Another part tells
// how much code there is for each branch; where that is very much, it is vector code, of which a
// byte does more. Where much time goes by for little code, it is memory that the program waits for,
// of which a copy hides nothing. The numbers are those with which windows come nearest to exact
// counts (bench/record.md).
double StackCutter::speed(const Window& window) {
  constexpr double added = 4, usual_counted = 6, least_counted = 2.5, slow = 10, of_cycles = 0.65;
  constexpr double usual_bytes = 25, most_bytes = 80, of_bytes = 0.35;
  constexpr double least_bytes = 10, waits = 15, most_waiting = 30, of_waiting = 1.5;
  double counted = std::max(window.cycles_of_branch - added, least_counted);
  double speed = std::pow(usual_counted / std::min(counted, slow), of_cycles);
  if (counted > slow) speed *= slow / counted;
  double bytes = window.bytes_of_branch;
  if (bytes < 1) return speed;
  double for_code = counted * usual_bytes / std::max(bytes, least_bytes);
  if (for_code > waits) speed *= std::pow(waits / std::min(for_code, most_waiting), of_waiting);
  return speed * std::pow(usual_bytes / std::min(bytes, most_bytes), of_bytes);
}

// A window may be too short to tell.
double StackCutter::known_speed(const Window& window) {
  if (window.cycles_of_branch > 0) known_speed_ = speed(window);
  return known_speed_;
}

// A window that was cut short counts like a whole one: the branches before what cuts windows are in
// as many of them as others.
double StackCutter::weight(const Window& window) { return known_speed(window) / window.reach; }

// Neither what the kernel does for it in the window, system calls and page faults, nor long vector code
// is in its speed; but a copy does not add much more to a branch than this, also where it is cold.
double StackCutter::own_cycles(const Window& window) {
  constexpr double most_added = 100;
  auto passed = static_cast<double>(window.passed);
  double by_speed = passed * usual_cycles / known_speed(window);
  return std::max(by_speed, static_cast<double>(window.cycles) - passed * most_added);
}

size_t StackCutter::stacks_of(const Window& window) {
  size_t taken = window.taken.size();
  if (taken == 0) return 0;
  size_t most = taken < depth_ ? 1 : taken / depth_;
  if (window.cycles_of_branch == 0) return 1;
  auto length = static_cast<double>(std::min<size_t>(taken, depth_));
  double stacks = static_cast<double>(cycles_) / usual_cycles * speed(window) / length;
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
