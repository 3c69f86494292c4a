// What several threads unwound becomes one set of tables. Each thread has numbers of its own for
// call chains, ranges and branches; new ones are given in the order of addresses, so that the
// result does not depend on which thread saw what.

#include <algorithm>
#include <numeric>

#include "profile/function_samples.h"
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
  for (u32 i = 1; i < nodes.size(); ++i) {
    hashes[i] = extend_hash(hashes[nodes[i].parent], nodes[i].call);
    numbers[i] = into.child(numbers[nodes[i].parent], nodes[i].call, hashes[i]);
  }
  return numbers;
}

// Numbers that go through the trie depth first, children by their addresses.
Renumbering depth_first(const std::vector<PathTable::Node>& nodes) {
  struct Link {
    u64 place;  // parent and call
    u32 node;
  };
  std::vector<Link> links;
  links.reserve(nodes.size());
  for (u32 i = 1; i < nodes.size(); ++i)
    links.push_back({u64{nodes[i].parent} << 32 | nodes[i].call, i});
  std::ranges::sort(links, {}, &Link::place);

  std::vector<u32> first_child(nodes.size() + 1);
  for (u32 parent = 0, at = 0; parent <= nodes.size(); ++parent) {
    while (at < links.size() && links[at].place >> 32 < parent) ++at;
    first_child[parent] = at;
  }
  Renumbering numbers(nodes.size());
  std::vector<u32> pending{PathTable::root};
  for (u32 next = 0; !pending.empty();) {
    u32 node = pending.back();
    pending.pop_back();
    numbers[node] = next++;
    for (u32 child = first_child[node + 1]; child-- > first_child[node];)
      pending.push_back(links[child].node);
  }
  return numbers;
}

}  // namespace

class UnwoundMerger {
 public:
  UnwoundMerger(std::vector<Unwinder> unwinders, const std::vector<std::vector<u32>>& order,
                unsigned threads)
      : unwinders_(std::move(unwinders)), order_(order), threads_(threads) {}

  Unwound merge() {
    merge_ranges();
    merge_branches();
    merge_nodes();
    std::vector<SortedLog::Source> ranges, branches;
    for (size_t i = 0; i < unwinders_.size(); ++i) {
      auto& from = unwinders_[i];
      ranges.push_back({&from.range_log_, &node_numbers_[i], &range_numbers_[i], &order_[i]});
      branches.push_back({&from.branch_log_, &node_numbers_[i], &branch_numbers_[i], &order_[i]});
      result_.left_program |= from.left_program_;
    }
    result_.range_log = SortedLog(ranges, result_.nodes.size(), threads_);
    result_.branch_log = SortedLog(branches, result_.nodes.size(), threads_);
    return std::move(result_);
  }

 private:
  void merge_ranges() {
    std::vector<const PairTable*> tables;
    for (const auto& from : unwinders_) tables.push_back(&from.ranges_);
    result_.ranges = merge_pairs(tables, range_numbers_);
    result_.range_counts.resize(result_.ranges.size());
    for (size_t i = 0; i < unwinders_.size(); ++i)
      for (size_t range = 0; range < unwinders_[i].range_counts_.size(); ++range) {
        u64& count = result_.range_counts[range_numbers_[i][range]];
        count = profile::add_saturated(count, unwinders_[i].range_counts_[range]);
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
  const std::vector<std::vector<u32>>& order_;
  unsigned threads_;
  std::vector<Renumbering> range_numbers_, branch_numbers_, node_numbers_;
  Unwound result_;
};

Unwound merge(std::vector<Unwinder> unwinders, const std::vector<std::vector<u32>>& order,
              unsigned threads) {
  return UnwoundMerger(std::move(unwinders), order, threads).merge();
}

}  // namespace pgokit::unwind
