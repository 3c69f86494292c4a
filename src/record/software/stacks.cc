#include "record/software/stacks.h"

#include <algorithm>

namespace pgokit::record {
namespace {

// How many times as long as the program its copy takes, with what is not in the caches
// (bench/record.md).
constexpr double slower = 1.6;
constexpr double usual_cycles = 3.5;  // of a branch by itself

}  // namespace

// By the copy. A window may be too short to tell.
double StackCutter::cycles_of_branch(const Window& window) {
  constexpr u64 enough = 1000;
  if (window.cycles > 0 && window.passed >= enough)
    cycles_of_branch_ = static_cast<double>(window.cycles) / static_cast<double>(window.passed);
  return cycles_of_branch_;
}

double StackCutter::own_cycles(const Window& window) {
  double of_branch = cycles_of_branch(window);
  if (window.cycles > 0) return static_cast<double>(window.cycles) / slower;
  return static_cast<double>(window.passed) * (of_branch > 0 ? of_branch / slower : usual_cycles);
}

// One that was cut short counts like a whole one: the branches before what cuts windows are in as
// many of them as others. One that has ended for too much new code has counted for a moment,
// perhaps, which is not to stand for all.
double StackCutter::weight(const Window& window, double cycles) {
  constexpr u64 least_part = 16;
  u64 counted = window.cut_short ? window.wanted : window.cycles;
  u64 least = std::max<u64>(window.wanted / least_part, 1);
  return cycles * slower / static_cast<double>(std::max(counted, least));
}

size_t StackCutter::stacks_of(const Window& window) {
  size_t taken = window.taken.size();
  if (taken == 0) return 0;
  size_t most = taken < depth_ ? 1 : taken / depth_;
  double of_branch = window.cycles_at_end > 0 ? window.cycles_at_end : cycles_of_branch(window);
  if (of_branch == 0) return 1;
  auto length = static_cast<double>(std::min<size_t>(taken, depth_));
  double stacks = static_cast<double>(cycles_) * slower / of_branch / length;
  stacks += std::uniform_real_distribution<>(0, 1)(random_);
  return static_cast<size_t>(std::min(stacks, static_cast<double>(most)));
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
