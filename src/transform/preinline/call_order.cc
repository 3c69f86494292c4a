#include "transform/preinline/call_order.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "base/sort_and_sum.h"

namespace pgokit::transform {
namespace {

struct NumberedEdge {
  u32 from, to;
  u64 count;
  auto pair() const { return std::pair(from, to); }
};

// Numbered sets that grow together.
class Groups {
 public:
  explicit Groups(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  // False if they were one already.
  bool join(u32 a, u32 b) {
    a = find(a), b = find(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  u32 find(u32 a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  std::vector<u32> parent_;
};

}  // namespace

u64 calls_of(const ContextTree& tree, u32 callee) {
  const auto& node = tree[callee];
  auto* samples = tree.samples(callee);
  const auto* caller = tree.samples(node.parent);
  if (!caller || !samples) return 0;
  // Only the estimate reads samples in order.
  if (samples->head == 0) samples->sort();
  u64 entries = samples->entry_estimate(true);
  const auto* record = caller->body.find(node.site);
  if (!record || !record->targets) return entries;
  const u64* called = record->targets->find(node.function);
  return called ? std::max(*called, entries) : entries;
}

namespace {

std::vector<bool> functions_in(const ContextTree& tree, const profile::NameTable& names) {
  std::vector<bool> used(names.size());
  for (u32 node = 1; node < tree.size(); ++node)
    used[static_cast<size_t>(tree[node].function)] = true;
  return used;
}

std::vector<CallGraph::Edge> calls_in(const ContextTree& tree) {
  std::vector<CallGraph::Edge> edges;
  for (u32 node = 1; node < tree.size(); ++node)
    if (u32 caller = tree[node].parent; caller != ContextTree::root)
      edges.push_back({tree[caller].function, tree[node].function, calls_of(tree, node)});
  return edges;
}

}  // namespace

CallGraph::CallGraph(const ContextTree& tree, const profile::NameTable& names)
    : CallGraph(names, functions_in(tree, names), calls_in(tree)) {}

CallGraph::CallGraph(const profile::NameTable& names, const std::vector<bool>& used,
                     const std::vector<Edge>& calls) {
  for (u32 id = 0; id < used.size(); ++id)
    if (used[id]) functions_.push_back(NameId{id});
  names.sort(functions_);
  std::vector<u32> number(names.size());
  for (u32 i = 0; i < functions_.size(); ++i) number[static_cast<size_t>(functions_[i])] = i;

  std::vector<NumberedEdge> edges;
  edges.reserve(calls.size());
  for (const auto& [caller, callee, count] : calls)
    edges.push_back(
        {number[static_cast<size_t>(caller)], number[static_cast<size_t>(callee)], count});
  sort_and_sum(edges, &NumberedEdge::pair,
               [](NumberedEdge& sum, const NumberedEdge& edge) { sum.count += edge.count; });
  first_.reserve(functions_.size() + 1);
  for (const auto& edge : edges) {
    while (first_.size() <= edge.from) first_.push_back(static_cast<u32>(calls_.size()));
    calls_.push_back({edge.to, edge.count});
  }
  first_.resize(functions_.size() + 1, static_cast<u32>(calls_.size()));
}

void CallGraph::drop_calls_up_to(u64 count) {
  if (count == 0) return;
  u32 kept = 0;
  for (u32 function = 0, next = 0; function < functions_.size(); ++function) {
    u32 end = first_[function + 1];
    first_[function] = kept;
    for (; next < end; ++next)
      if (calls_[next].count > count) calls_[kept++] = calls_[next];
  }
  first_.back() = kept;
  calls_.resize(kept);
}

// Tarjan's algorithm without recursion.
std::vector<std::vector<u32>> CallGraph::cycles() const {
  constexpr u32 finished = ~u32{0};
  struct Visit {
    u32 function, next_call, lowest;
  };
  std::vector<std::vector<u32>> found;
  std::vector<u32> number(functions_.size()), waiting;
  std::vector<Visit> path;
  u32 visited = 0;
  auto enter = [&](u32 function) {
    number[function] = ++visited;
    waiting.push_back(function);
    path.push_back({function, 0, visited});
  };
  for (u32 start = 0; start < functions_.size(); ++start) {
    if (number[start] == 0) enter(start);
    while (!path.empty()) {
      auto& [function, next_call, lowest] = path.back();
      if (auto callees = calls(function); next_call < callees.size()) {
        u32 callee = callees[next_call++].callee;
        if (number[callee] == 0)
          enter(callee);
        else
          lowest = std::min(lowest, number[callee]);
        continue;
      }
      Visit left = path.back();
      path.pop_back();
      if (!path.empty()) path.back().lowest = std::min(path.back().lowest, left.lowest);
      if (left.lowest != number[left.function]) continue;
      auto& cycle = found.emplace_back();
      do {
        cycle.push_back(waiting.back());
        waiting.pop_back();
        number[cycle.back()] = finished;
      } while (cycle.back() != left.function);
    }
  }
  return found;
}

// A forest of the hottest calls, then its functions from the roots on; the result is reversed.
std::vector<u32> CallGraph::along_hot_calls(const std::vector<u32>& cycle) const {
  tsl::robin_map<u32, u32, IntHash> place;  // of a function in the cycle
  for (u32 i = 0; i < cycle.size(); ++i) place[cycle[i]] = i;
  std::vector<NumberedEdge> edges;  // of places
  for (u32 i = 0; i < cycle.size(); ++i)
    for (const auto& call : calls(cycle[i]))
      if (auto to = place.find(call.callee); to != place.end())
        edges.push_back({i, to->second, call.count});
  std::ranges::stable_sort(edges, std::greater<>(), &NumberedEdge::count);

  Groups groups(cycle.size());
  std::vector<u32> incoming(cycle.size());
  std::vector<NumberedEdge> forest;
  for (const auto& edge : edges)
    if (groups.join(edge.from, edge.to)) forest.push_back(edge), ++incoming[edge.to];
  std::ranges::sort(forest, {},
                    [&](const NumberedEdge& edge) { return std::pair(edge.from, cycle[edge.to]); });

  std::vector<u32> order;
  std::vector<bool> queued(cycle.size());
  for (const auto& edge : edges)
    if (!queued[edge.from] && incoming[edge.from] == 0) {
      queued[edge.from] = true;
      order.push_back(edge.from);
    }
  for (size_t i = 0; i < order.size(); ++i)
    for (const auto& edge : std::ranges::equal_range(forest, order[i], {}, &NumberedEdge::from))
      if (--incoming[edge.to] == 0) order.push_back(edge.to);
  for (u32& at : order) at = cycle[at];
  std::ranges::reverse(order);
  return order;
}

std::vector<NameId> CallGraph::top_down(bool sort_cycles) const {
  std::vector<NameId> order;
  for (const auto& cycle : cycles()) {
    bool sorted = sort_cycles && cycle.size() > 1;
    for (u32 function : sorted ? along_hot_calls(cycle) : cycle)
      order.push_back(functions_[function]);
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace pgokit::transform
