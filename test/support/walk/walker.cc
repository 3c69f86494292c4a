#include "walk/walker.h"

#include <algorithm>
#include <cmath>

namespace pgokit::walk {

using isa::Flow;

Walker::Walker(const Program& program, const WalkOptions& options)
    : program_(program), options_(options), random_(options.seed), ring_(options.depth) {
  auto count = static_cast<u32>(program.functions.size());
  by_heat_.resize(count);
  heat_.resize(count);
  for (u32 i = 0; i < count; ++i) by_heat_[i] = i;
  for (u32 i = count; i > 1; --i) std::swap(by_heat_[i - 1], by_heat_[random_.below(i)]);
  double sum = 0;
  for (u32 i = 0; i < count; ++i) {
    sum += std::pow(i + 1.0, -(options.hot / 100.0));
    heat_[i] = sum;
  }
  start_over();
}

u32 Walker::zipf(u32 n) {
  double wanted = heat_[n - 1] * static_cast<double>(random_.next() >> 11) * 0x1p-53;
  auto found = std::lower_bound(heat_.begin(), heat_.begin() + n, wanted);
  return std::min(static_cast<u32>(found - heat_.begin()), n - 1);
}

// From the outside into main, or into any function as if called back. Also what is done where the
// code leads nowhere: as if a signal or an exception had come.
void Walker::start_over() {
  stack_.assign(1, nowhere);
  bool callback = program_.main == nowhere || random_.chance(600);
  u32 root = callback ? by_heat_[zipf(static_cast<u32>(by_heat_.size()))] : program_.main;
  at_ = program_.functions[root].first;
  take(program_.external + 0x10, program_.address[at_]);
}

// The few functions that an indirect call at one place reaches.
u32 Walker::pick_function(u64 site) {
  Random choice(site);
  auto skip = random_.below(100);
  u32 which = skip < 70 ? 0 : skip < 90 ? 1 : skip < 97 ? 2 : 3;
  u32 picked = 0;
  auto count = static_cast<u32>(by_heat_.size());
  for (u32 i = 0; i <= which; ++i) picked = choice.below(std::max(count / 2, 1u));
  return program_.functions[by_heat_[picked]].first;
}

bool Walker::takes_conditional(u32 branch) {
  u32 to = program_.target[branch];
  u32 next = branch + 1;
  if (to == nowhere) return false;
  if (must_return() || program_.cost_to_ret[next] >= u32{1} << 30 ||
      program_.cost_to_ret[to] >= u32{1} << 30)
    return program_.cost_to_ret[to] < program_.cost_to_ret[next];
  // Most branches are biased, each in its own way.
  constexpr u32 bias[] = {30, 100, 300, 500, 700, 850, 900, 970};
  u64 hash = (program_.address[branch] + options_.seed) * 0x9e3779b97f4a7c15;
  return random_.chance(bias[hash >> 61]);
}

void Walker::go(u32 branch, u32 to) {
  take(program_.address[branch], program_.address[to]);
  at_ = to;
}

void Walker::call(u32 branch, u32 callee) {
  u32 back = branch + 1;
  bool returns = back < program_.size() &&
                 program_.address[branch] + program_.length[branch] == program_.address[back];
  if (!returns || stack_.size() > 20 * options_.stack_limit) return start_over();
  stack_.push_back(back);
  go(branch, callee);
}

// Through a linkage stub into a library and back; at times it calls back first.
void Walker::call_outside(u32 branch) {
  u32 back = branch + 1;
  u64 stub = program_.external - 0x100000, library = program_.external + 0x40;
  if (back >= program_.size() ||
      program_.address[branch] + program_.length[branch] != program_.address[back])
    return start_over();
  take(program_.address[branch], stub);
  take(stub + 4, library);
  if (!must_return() && random_.chance(20)) {
    stack_.push_back(back);
    stack_.push_back(nowhere);
    at_ = pick_function(program_.address[branch]);
    take(library + 8, program_.address[at_]);
    return;
  }
  take(library + 0x20, program_.address[back]);
  at_ = back;
}

// A tail call into the outside, which returns to the caller.
void Walker::leave_outside(u32 branch) {
  u64 library = program_.external + 0x80;
  take(program_.address[branch], library);
  u32 back = stack_.back();
  stack_.pop_back();
  if (back == nowhere) {
    if (stack_.empty()) return start_over();
    back = stack_.back();
    stack_.pop_back();
  }
  take(library + 0x10, program_.address[back]);
  at_ = back;
}

void Walker::ret(u32 branch) {
  u32 back = stack_.back();
  stack_.pop_back();
  if (back != nowhere) return go(branch, back);
  take(program_.address[branch], program_.external + 0xc);
  if (stack_.empty()) return start_over();
  back = stack_.back();
  stack_.pop_back();
  take(program_.external + 0x20, program_.address[back]);
  at_ = back;
}

void Walker::step() {
  u32 branch = program_.next_branch[at_];
  if (branch == nowhere) return start_over();
  u32 to = program_.target[branch];
  const Function& function = program_.functions[program_.function_of[branch]];
  switch (program_.flow[branch]) {
    case Flow::conditional:
      if (takes_conditional(branch)) return go(branch, to);
      if (branch + 1 >= function.end) return start_over();
      at_ = branch + 1;
      return;
    case Flow::jump:
      return to == nowhere ? leave_outside(branch) : go(branch, to);
    case Flow::indirect_jump: {
      u64 site = program_.address[branch];
      const auto& targets = function.switch_targets;
      if (targets.empty())
        return must_return() ? leave_outside(branch) : go(branch, pick_function(site));
      return go(branch, targets[zipf(static_cast<u32>(std::min(targets.size(), heat_.size())))]);
    }
    case Flow::call:
      return to == nowhere ? call_outside(branch) : call(branch, to);
    case Flow::indirect_call:
      if (must_return() || random_.chance(50)) return call_outside(branch);
      return call(branch, pick_function(program_.address[branch]));
    case Flow::ret:
      return ret(branch);
    case Flow::none:
    case Flow::other:
      break;
  }
  start_over();
}

void Walker::fill_sample() {
  u64 count = std::min<u64>(taken_, ring_.size());
  sample_.branches.clear();
  for (u64 i = 0; i < count; ++i) {
    const Taken& one = ring_[(taken_ - 1 - i) % ring_.size()];
    sample_.branches.push_back({one.from, one.to, u64{2}});
  }
  u32 branch = program_.next_branch[at_];
  u32 last = branch == nowhere ? at_ : branch;
  sample_.chain.assign(1, program_.address[at_ + random_.below(last - at_ + 1)]);
  for (size_t i = stack_.size(); i-- > 0 && sample_.chain.size() < options_.frames;)
    sample_.chain.push_back(stack_[i] == nowhere ? program_.external + 0x48
                                                 : program_.address[stack_[i]]);
}

const WalkSample& Walker::next() {
  u64 until = taken_ + options_.period / 2 + random_.below(options_.period);
  while (taken_ < until) step();
  fill_sample();
  return sample_;
}

}  // namespace pgokit::walk
