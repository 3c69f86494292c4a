// What several threads unwound becomes one set of tables. Each thread has numbers of its own for
// call chains, ranges and branches; new ones are given in the order of addresses, so that the
// result does not depend on which thread saw what.

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "profile/model/function_samples.h"
#include "unwind/unwinder.h"

namespace pgokit::unwind {
namespace {

using Renumbering = std::vector<u32>;  // by old number

// All pairs of some tables, ascending, and where those of each table went.
std::vector<u64> merge_pairs(const std::vector<const PairTable*>& tables,
                             std::vector<Renumbering>& renumbered) {
  std::vector<u64> all;
  for (const auto* table : tables)
    all.insert(all.end(), table->pairs().begin(), table->pairs().end());
  std::ranges::sort(all);
  auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  for (const auto* table : tables) {
    auto& numbers = renumbered.emplace_back();
    for (u64 pair : table->pairs())
      numbers.push_back(static_cast<u32>(std::ranges::lower_bound(all, pair) - all.begin()));
  }
  return all;
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
    parallel_for(tries_.size(), threads_, [&](size_t i, unsigned) {
      tries_[i] = depth_first(std::move(unwinders_[i].paths_).take_nodes());
    });
    const auto tables = {&UnwoundMerger::merge_nodes, &UnwoundMerger::order_samples,
                         &UnwoundMerger::merge_ranges, &UnwoundMerger::merge_branches};
    parallel_for(tables.size(), threads_,
                 [&](size_t i, unsigned) { (this->*tables.begin()[i])(); });
    std::vector<SortedLog::Source> ranges, branches;
    for (size_t i = 0; i < unwinders_.size(); ++i) {
      auto& from = unwinders_[i];
      ranges.push_back({&from.range_log_, &node_numbers_[i], &range_numbers_[i], &order_[i]});
      branches.push_back({&from.branch_log_, &node_numbers_[i], &branch_numbers_[i], &order_[i]});
      result_.left_program |= from.left_program_;
    }
    parallel_for(2, threads_, [&](size_t i, unsigned) {
      (i ? result_.branch_log : result_.range_log) =
          SortedLog(i ? branches : ranges, result_.nodes.size(), threads_);
    });
    return std::move(result_);
  }

 private:
  void order_samples() { order_ = llvm_order(samples_); }

  void merge_ranges() {
    std::vector<const PairTable*> tables;
    for (const auto& from : unwinders_) tables.push_back(&from.ranges_);
    result_.ranges = merge_pairs(tables, range_numbers_);
    result_.range_counts.resize(result_.ranges.size());
    result_.range_possible.resize(result_.ranges.size());
    for (size_t i = 0; i < unwinders_.size(); ++i)
      for (size_t range = 0; range < unwinders_[i].range_counts_.size(); ++range) {
        u32 number = range_numbers_[i][range];
        u64& count = result_.range_counts[number];
        count = add_saturated(count, unwinders_[i].range_counts_[range]);
        result_.range_possible[number] = unwinders_[i].range_possible_[range];
      }
  }

  void merge_branches() {
    std::vector<const PairTable*> tables;
    for (const auto& from : unwinders_) tables.push_back(&from.branches_);
    result_.branches = merge_pairs(tables, branch_numbers_);
  }

  void merge_nodes() {
    result_.nodes = merge_tries(tries_, threads_);
    for (auto& trie : tries_) node_numbers_.push_back(std::move(trie.places));
  }

  std::vector<Unwinder> unwinders_;
  const std::vector<std::vector<NotedSample>>& samples_;
  unsigned threads_;
  std::vector<Renumbering> order_, range_numbers_, branch_numbers_, node_numbers_;
  std::vector<DepthFirst> tries_;
  Unwound result_;
};

std::vector<Branch> touched_branches(const Unwound& unwound) {
  std::vector<Branch> branches;
  for (u64 pair : unwound.branches)
    if (second_of(pair) != outside)
      branches.push_back({CodeIndex(first_of(pair)), CodeIndex(second_of(pair))});
  return branches;
}

Unwound merge(std::vector<Unwinder> unwinders, const std::vector<std::vector<NotedSample>>& samples,
              unsigned threads) {
  return UnwoundMerger(std::move(unwinders), samples, threads).merge();
}

}  // namespace pgokit::unwind
