// What several threads unwound becomes one set of tables. Each thread has numbers of its own for
// call chains, ranges and branches; new ones are given in the order of addresses, so that the
// result does not depend on which thread saw what.

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "profile/model/function_samples.h"
#include "unwind/unwinder.h"

namespace pgokit::unwind {
namespace {

using Renumbering = std::vector<u32>;  // by old number

// The steps of a table, ascending, with their numbers there.
struct NumberedStep {
  Step step;
  u32 number;
};

std::vector<NumberedStep> sorted_steps(const StepTable& table) {
  std::vector<NumberedStep> sorted;
  sorted.reserve(table.steps().size());
  for (const auto& step : table.steps()) sorted.push_back({step, static_cast<u32>(sorted.size())});
  std::ranges::sort(sorted, {}, &NumberedStep::step);
  return sorted;
}

// All steps of some tables, ascending, and where those of each table went.
std::vector<Step> merge_steps(const std::vector<std::vector<NumberedStep>>& tables,
                              std::vector<Renumbering>& renumbered) {
  std::vector<Step> all;
  std::vector<size_t> next(tables.size());
  for (const auto& table : tables) renumbered.emplace_back(table.size());
  while (true) {
    const Step* least = nullptr;
    for (size_t i = 0; i < tables.size(); ++i)
      if (next[i] < tables[i].size() && (!least || tables[i][next[i]].step < *least))
        least = &tables[i][next[i]].step;
    if (!least) return all;
    Step step = *least;
    for (size_t i = 0; i < tables.size(); ++i)
      if (next[i] < tables[i].size() && tables[i][next[i]].step == step)
        renumbered[i][tables[i][next[i]++].number] = static_cast<u32>(all.size());
    all.push_back(step);
  }
}

// A trie depth first, children by their addresses.
struct DepthFirst {
  struct Entry {
    Place call;
    u32 depth;
    // Of the entries that may come next the deepest does, for what is not deeper is not below the
    // same nodes.
    u64 key() const { return u64{~depth} << 32 | call; }
  };
  std::vector<Entry> entries;  // [0] is the root
  Renumbering places;          // by node: of its entry
};

DepthFirst depth_first(const std::vector<PathTable::Node>& nodes) {
  // Children by parent; the root is nobody's.
  std::vector<u32> first(nodes.size() + 1), children(nodes.size() - 1);
  for (u32 i = 1; i < nodes.size(); ++i) ++first[nodes[i].parent + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  auto next_child = first;
  for (u32 i = 1; i < nodes.size(); ++i) children[next_child[nodes[i].parent]++] = i;
  free_memory_of(next_child);

  DepthFirst trie{.entries = {}, .places = Renumbering(nodes.size())};
  trie.entries.reserve(nodes.size());
  struct Pending {
    u32 node, depth;
  };
  std::vector<Pending> pending{{PathTable::root, 0}};
  while (!pending.empty()) {
    auto [node, depth] = pending.back();
    pending.pop_back();
    trie.places[node] = static_cast<u32>(trie.entries.size());
    trie.entries.push_back({nodes[node].call, depth});
    auto its = std::span(children).subspan(first[node], first[node + 1] - first[node]);
    std::ranges::sort(its, std::greater(), [&](u32 child) { return nodes[child].call; });
    for (u32 child : its) pending.push_back({child, depth + 1});
  }
  return trie;
}

// One trie of several, depth first again: without a look-up, and from one end of the memory to the
// other. The places of each trie become numbers in the new one.
std::vector<PathTable::Node> merge_tries(std::vector<DepthFirst>& tries, unsigned threads) {
  constexpr u64 end = ~u64{0};
  std::vector<Renumbering> numbers;  // by trie and place
  std::vector<u64> next;             // by trie: the key of its next entry
  size_t most = 0;
  auto next_of = [&](size_t trie) {
    const auto& entries = tries[trie].entries;
    size_t at = numbers[trie].size();
    return at < entries.size() ? entries[at].key() : end;
  };
  for (size_t trie = 0; trie < tries.size(); ++trie) {
    most += tries[trie].entries.size();
    numbers.emplace_back().reserve(tries[trie].entries.size());
    numbers[trie].push_back(PathTable::root);
    next.push_back(next_of(trie));
  }
  std::vector<PathTable::Node> nodes(1);
  nodes.reserve(most);
  std::vector<u32> path(1, PathTable::root);  // to the last node
  for (u64 key; (key = *std::ranges::min_element(next)) != end;) {
    u32 depth = ~static_cast<u32>(key >> 32);
    auto number = static_cast<u32>(nodes.size());
    nodes.push_back({path[depth - 1], static_cast<Place>(key)});
    path.resize(depth);
    path.push_back(number);
    for (size_t trie = 0; trie < tries.size(); ++trie) {
      if (next[trie] != key) continue;
      numbers[trie].push_back(number);
      next[trie] = next_of(trie);
    }
  }
  parallel_for(tries.size(), threads, [&](size_t trie, unsigned) {
    free_memory_of(tries[trie].entries);
    for (u32& place : tries[trie].places) place = numbers[trie][place];
  });
  return nodes;
}

}  // namespace

class UnwoundMerger {
 public:
  UnwoundMerger(std::vector<Unwinder> unwinders,
                const std::vector<std::vector<NotedSample>>& samples, unsigned threads)
      : unwinders_(std::move(unwinders)), samples_(samples), threads_(threads) {}

  Unwound merge() {
    tries_.resize(unwinders_.size());
    steps_.resize(unwinders_.size());
    parallel_for(tries_.size(), threads_, [&](size_t i, unsigned) {
      tries_[i] = depth_first(std::move(unwinders_[i].paths_).take_nodes());
      steps_[i] = sorted_steps(unwinders_[i].steps_);
      free_memory_of(unwinders_[i].steps_);
    });
    const auto tables = {&UnwoundMerger::merge_nodes, &UnwoundMerger::order_samples,
                         &UnwoundMerger::merge_steps};
    parallel_for(tables.size(), threads_,
                 [&](size_t i, unsigned) { (this->*tables.begin()[i])(); });
    std::vector<SortedLog::Source> sources;
    for (size_t i = 0; i < unwinders_.size(); ++i) {
      auto& from = unwinders_[i];
      sources.push_back({&from.log_, &node_numbers_[i], &step_numbers_[i], &order_[i]});
      result_.left_program |= from.left_program_;
    }
    result_.log = SortedLog(sources, result_.nodes.size(), threads_);
    return std::move(result_);
  }

 private:
  void order_samples() { order_ = llvm_order(samples_); }

  void merge_steps() {
    auto steps = unwind::merge_steps(std::exchange(steps_, {}), step_numbers_);
    std::vector<Unwinder::Known> known(steps.size());
    for (size_t i = 0; i < unwinders_.size(); ++i)
      for (size_t step = 0; step < unwinders_[i].known_.size(); ++step) {
        auto& sum = known[step_numbers_[i][step]];
        sum.count = add_saturated(sum.count, unwinders_[i].known_[step].count);
        sum.has_range = unwinders_[i].known_[step].has_range;
      }
    for (size_t i = 0; i < steps.size(); ++i) add_step(steps[i], known[i]);
    find_branches(steps);
  }

  // Steps of one range are neighbours.
  void add_step(const Step& step, const Unwinder::Known& known) {
    auto& [range, branch] = result_.steps.emplace_back();
    if (!step.has_range()) return;
    if (result_.ranges.empty() || result_.ranges.back() != step.range()) {
      result_.ranges.push_back(step.range());
      result_.range_counts.push_back(0);
      result_.range_possible.push_back(known.has_range);
    }
    result_.range_counts.back() = add_saturated(result_.range_counts.back(), known.count);
    if (known.has_range) range = static_cast<u32>(result_.ranges.size() - 1);
  }

  void find_branches(const std::vector<Step>& steps) {
    auto& branches = result_.branches;
    for (const auto& step : steps)
      if (step.to != outside) branches.push_back(step.branch());
    std::ranges::sort(branches);
    auto rest = std::ranges::unique(branches);
    branches.erase(rest.begin(), rest.end());
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i].to != outside)
        result_.steps[i].branch = static_cast<u32>(
            std::ranges::lower_bound(branches, steps[i].branch()) - branches.begin());
  }

  void merge_nodes() {
    result_.nodes = merge_tries(tries_, threads_);
    for (auto& trie : tries_) node_numbers_.push_back(std::move(trie.places));
  }

  std::vector<Unwinder> unwinders_;
  const std::vector<std::vector<NotedSample>>& samples_;
  unsigned threads_;
  std::vector<Renumbering> order_, step_numbers_, node_numbers_;
  std::vector<DepthFirst> tries_;
  std::vector<std::vector<NumberedStep>> steps_;
  Unwound result_;
};

std::vector<Branch> touched_branches(const Unwound& unwound) {
  std::vector<Branch> branches;
  for (u64 pair : unwound.branches)
    branches.push_back({CodeIndex(first_of(pair)), CodeIndex(second_of(pair))});
  return branches;
}

Unwound merge(std::vector<Unwinder> unwinders, const std::vector<std::vector<NotedSample>>& samples,
              unsigned threads) {
  return UnwoundMerger(std::move(unwinders), samples, threads).merge();
}

}  // namespace pgokit::unwind
