#include "instrument/blocks.h"

#include <algorithm>
#include <numeric>

namespace pgokit::instrument {
namespace {

using Wide = __int128;

// Ends of blocks that flow joins: what comes in through a set goes out of it.
class Flow {
 public:
  Flow(const Module& module, const Function& function, std::vector<u64>& counts)
      : blocks_(module.blocks_of(function)), counts_(counts), parent_(2 * blocks_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (u32 b = 0; b < blocks_.size(); ++b) {
      auto successors = module.successors_of(blocks_[b]);
      if (successors.empty()) join(out(b), in(0));
      for (u32 successor : successors) join(out(b), in(successor));
    }
  }

  // Returns the number of blocks that stay unknown.
  u64 solve() {
    count_unknown();
    std::vector<u32> ready;
    for (u32 set = 0; set < unknown_.size(); ++set)
      if (unknown_[set] == 1) ready.push_back(set);
    while (!ready.empty()) {
      u32 set = ready.back();
      ready.pop_back();
      if (unknown_[set] != 1) continue;
      // The unknown blocks of a set are kept as the sum of their numbers: the last one is it.
      settle(static_cast<u32>(unknown_sum_[set]), set, ready);
    }
    return static_cast<u64>(std::ranges::count(known_, false));
  }

 private:
  static u32 in(u32 block) { return 2 * block; }
  static u32 out(u32 block) { return 2 * block + 1; }

  u32 root(u32 end) {
    while (parent_[end] != end) end = parent_[end] = parent_[parent_[end]];
    return end;
  }
  void join(u32 a, u32 b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  void count_unknown() {
    unknown_.resize(parent_.size());
    unknown_sum_.resize(parent_.size());
    surplus_.resize(parent_.size());
    known_.resize(blocks_.size());
    for (u32 b = 0; b < blocks_.size(); ++b) {
      known_[b] = blocks_[b].counter != MIP_FROM_FLOW;
      if (known_[b]) {
        pass(b, counts_[b]);
      } else {
        u32 from = root(in(b)), to = root(out(b));
        // What comes in goes out again: such a block is never found.
        if (from == to) continue;
        for (u32 set : {from, to}) ++unknown_[set], unknown_sum_[set] += b;
      }
    }
  }

  // A block carries `count` from the set of its in to the set of its out.
  void pass(u32 block, u64 count) {
    surplus_[root(in(block))] -= Wide{count};
    surplus_[root(out(block))] += Wide{count};
  }

  void settle(u32 block, u32 set, std::vector<u32>& ready) {
    Wide count = root(in(block)) == set ? surplus_[set] : -surplus_[set];
    counts_[block] = static_cast<u64>(std::clamp<Wide>(count, 0, Wide{~u64{0}}));
    known_[block] = true;
    pass(block, counts_[block]);
    for (u32 side : {root(in(block)), root(out(block))}) {
      unknown_sum_[side] -= block;
      if (--unknown_[side] == 1) ready.push_back(side);
    }
  }

  std::span<const Block> blocks_;
  std::vector<u64>& counts_;
  std::vector<u32> parent_, unknown_;
  std::vector<u64> unknown_sum_;
  std::vector<Wide> surplus_;  // by set: what came in and has not gone out
  std::vector<bool> known_;
};

// A block without a counter ran as often as the neighbour, of those its rule names, that ran most.
class Coverage {
 public:
  Coverage(const Module& module, const Function& function, std::vector<u64>& ran)
      : module_(module), blocks_(module.blocks_of(function)), ran_(ran) {
    first_.resize(blocks_.size() + 1);
    for (const auto& block : blocks_)
      for (u32 successor : module_.successors_of(block)) ++first_[successor + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    predecessors_.resize(first_.back());
    auto next = first_;
    for (u32 b = 0; b < blocks_.size(); ++b)
      for (u32 successor : module_.successors_of(blocks_[b])) predecessors_[next[successor]++] = b;
  }

  void infer() {
    std::vector<u32> counted;
    for (u32 b = 0; b < blocks_.size(); ++b)
      if (ran_[b] > 0) counted.push_back(b);
    // Most first: each block then gets its number once.
    std::ranges::stable_sort(counted, std::greater{}, [&](u32 b) { return ran_[b]; });
    for (u32 start : counted) {
      pending_.push_back(start);
      while (!pending_.empty()) spread();
    }
  }

 private:
  void spread() {
    u32 from = pending_.back();
    pending_.pop_back();
    for (u32 i = first_[from]; i < first_[from + 1]; ++i)
      give(predecessors_[i], MIP_FROM_SUCCESSORS, ran_[from]);
    for (u32 successor : module_.successors_of(blocks_[from]))
      give(successor, MIP_FROM_PREDECESSORS, ran_[from]);
  }

  void give(u32 block, u32 rule, u64 ran) {
    if (blocks_[block].counter != rule || ran_[block] > 0) return;
    ran_[block] = ran;
    pending_.push_back(block);
  }

  const Module& module_;
  std::span<const Block> blocks_;
  std::vector<u64>& ran_;
  std::vector<u32> first_, predecessors_, pending_;
};

std::vector<u64> counted(const Module& module, const Function& function,
                         const std::vector<u64>& column) {
  std::vector<u64> values;
  for (const auto& block : module.blocks_of(function))
    values.push_back(block.counter < function.counter_count
                         ? column[function.first_counter + block.counter]
                         : 0);
  return values;
}

bool has_rule(std::span<const Block> blocks, auto rule) {
  return std::ranges::any_of(blocks, [&](const Block& block) { return rule(block.counter); });
}

}  // namespace

BlockCounts block_counts(const Module& module, const Function& function) {
  BlockCounts result;
  auto blocks = module.blocks_of(function);
  if (blocks.empty()) return result;
  const auto& data = module.data;
  if ((function.kinds & MIP_BLOCKS64) && !data.executions.empty()) {
    result.executions = counted(module, function, data.executions);
    if (has_rule(blocks, [](u32 counter) { return counter == MIP_FROM_FLOW; }))
      result.unsolved = Flow(module, function, result.executions).solve();
  }
  if ((function.kinds & MIP_BLOCK_COVERAGE) && !data.block_ran.empty()) {
    result.ran = counted(module, function, data.block_ran);
    if (has_rule(blocks, [](u32 counter) {
          return counter == MIP_FROM_SUCCESSORS || counter == MIP_FROM_PREDECESSORS;
        }))
      Coverage(module, function, result.ran).infer();
  }
  return result;
}

void complete_calls(Module& module) {
  if (module.data.executions.empty()) return;
  for (u32 i = 0; i < module.functions.size(); ++i) {
    const auto& function = module.functions[i];
    if (!(function.kinds & MIP_BLOCKS64) || (function.kinds & (MIP_CALLS32 | MIP_CALLS64)))
      continue;
    auto counts = block_counts(module, function);
    if (!counts.executions.empty()) module.data.calls[i] = counts.executions[0];
  }
}

}  // namespace pgokit::instrument
