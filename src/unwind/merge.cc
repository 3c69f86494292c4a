// What several threads unwound becomes one set of tables. Each thread has numbers of its own for
// call chains, ranges and branches; new ones are given in the order of addresses, so that the
// result does not depend on which thread saw what.

#include <algorithm>
#include <functional>
#include <numeric>

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

// The nodes of `from` in `into`, by the hash of their chains.
Renumbering add_nodes(PathTable& into, const PathTable& from) {
  const auto& nodes = from.nodes();
  Renumbering numbers(nodes.size());
  std::vector<u64> hashes(nodes.size(), PathTable::empty_hash);
  for (u32 i = 1; i < nodes.size(); ++i)
    hashes[i] = extend_hash(hashes[nodes[i].parent], nodes[i].call);
  constexpr u32 ahead = 16;
  for (u32 i = 1; i < nodes.size(); ++i) {
    if (i + ahead < nodes.size()) into.prefetch(hashes[i + ahead]);
    numbers[i] = into.child(numbers[nodes[i].parent], nodes[i].call, hashes[i]);
  }
  return numbers;
}

// Numbers that go through the trie depth first, children by their addresses.
Renumbering depth_first(const std::vector<PathTable::Node>& nodes) {
  // Children by parent; the root is nobody's.
  std::vector<u32> first(nodes.size() + 1), children(nodes.size() - 1);
  for (u32 i = 1; i < nodes.size(); ++i) ++first[nodes[i].parent + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  auto next_child = first;
  for (u32 i = 1; i < nodes.size(); ++i) children[next_child[nodes[i].parent]++] = i;

  Renumbering numbers(nodes.size());
  std::vector<u32> pending{PathTable::root};
  for (u32 next = 0; !pending.empty();) {
    u32 node = pending.back();
    pending.pop_back();
    numbers[node] = next++;
    auto its = std::span(children).subspan(first[node], first[node + 1] - first[node]);
    std::ranges::sort(its, std::greater(), [&](u32 child) { return nodes[child].call; });
    pending.insert(pending.end(), its.begin(), its.end());
  }
  return numbers;
}

}  // namespace

class UnwoundMerger {
 public:
  UnwoundMerger(std::vector<Unwinder> unwinders,
                const std::vector<std::vector<NotedSample>>& samples, unsigned threads)
      : unwinders_(std::move(unwinders)), samples_(samples), threads_(threads) {}

  Unwound merge() {
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
    PathTable all = std::move(unwinders_[0].paths_);
    node_numbers_.emplace_back(all.nodes().size());
    std::iota(node_numbers_[0].begin(), node_numbers_[0].end(), 0u);
    for (size_t i = 1; i < unwinders_.size(); ++i)
      node_numbers_.push_back(add_nodes(all, unwinders_[i].paths_));

    auto order = depth_first(all.nodes());
    result_.nodes.resize(all.nodes().size());
    for (u32 i = 0; i < all.nodes().size(); ++i) {
      const auto& node = all.nodes()[i];
      result_.nodes[order[i]] = {order[node.parent], node.call};
    }
    for (auto& numbers : node_numbers_)
      for (u32& number : numbers) number = order[number];
  }

  std::vector<Unwinder> unwinders_;
  const std::vector<std::vector<NotedSample>>& samples_;
  unsigned threads_;
  std::vector<Renumbering> order_, range_numbers_, branch_numbers_, node_numbers_;
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
