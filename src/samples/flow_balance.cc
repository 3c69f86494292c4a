#include "samples/flow_balance.h"

#include <algorithm>
#include <utility>

namespace pgokit::samples {
namespace {

constexpr u32 none = ~u32{0};

// Independent bits for small numbers, the same in every run.
u64 random_bits(u64 seed) {
  seed = (seed + 1) * 0x9e3779b97f4a7c15;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
  return seed ^ seed >> 31;
}

// The edges of each node, without direction.
struct Incidence {
  Incidence(u32 nodes, std::span<const FlowEdge> edges) : first(nodes + 1) {
    for (const auto& edge : edges) ++first[edge.from], ++first[edge.to];
    u32 sum = 0;
    for (auto& at : first) sum += std::exchange(at, sum);
    list.resize(sum);
    auto next = first;
    for (u32 i = 0; i < edges.size(); ++i) {
      list[next[edges[i].from]++] = i;
      list[next[edges[i].to]++] = i;
    }
  }
  std::span<const u32> of(u32 node) const {
    return std::span(list).subspan(first[node], first[node + 1] - first[node]);
  }

  std::vector<u32> first, list;
};

// Edge values that are equal for edges which only cut the graph together: every edge outside of a
// spanning tree gets a random number, and an edge of the tree the XOR of those around it. Zero:
// the edge alone cuts it.
std::vector<u64> cut_values(u32 nodes, std::span<const FlowEdge> edges) {
  Incidence incidence(nodes, edges);
  std::vector<u64> value(edges.size()), below(nodes);
  std::vector<u32> parent_edge(nodes, none), order;
  std::vector<bool> seen(nodes), in_tree(edges.size());
  for (u32 root = 0; root < nodes; ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    order.push_back(root);
    for (size_t next = order.size() - 1; next < order.size(); ++next) {
      u32 node = order[next];
      for (u32 i : incidence.of(node)) {
        u32 other = edges[i].from ^ edges[i].to ^ node;
        if (edges[i].from == edges[i].to || seen[other]) continue;
        seen[other] = true;
        parent_edge[other] = i;
        in_tree[i] = true;
        order.push_back(other);
      }
    }
  }
  for (u32 i = 0; i < edges.size(); ++i) {
    if (in_tree[i]) continue;
    value[i] = random_bits(i);
    if (edges[i].from == edges[i].to) continue;
    below[edges[i].from] ^= value[i];
    below[edges[i].to] ^= value[i];
  }
  for (size_t i = order.size(); i-- > 0;) {
    u32 node = order[i], edge = parent_edge[node];
    if (edge == none) continue;
    value[edge] = below[node];
    below[edges[edge].from ^ edges[edge].to ^ node] ^= below[node];
  }
  return value;
}

struct Group {
  double samples = 0, instructions = 0;
  double flow = 0, variance = 0;
};

// What a group's samples say by themselves. Time per instruction differs between blocks: no number
// of samples makes that certain.
void estimate(Group& group) {
  constexpr double uneven = 0.2;
  if (group.instructions == 0) return;
  group.flow = group.samples / group.instructions;
  double chance = (group.samples + 1) / (group.instructions * group.instructions);
  group.variance = chance + uneven * uneven * group.flow * group.flow;
}

class Balance {
 public:
  Balance(u32 nodes, std::span<const FlowEdge> edges)
      : edges_(edges), group_of_(equal_flows(nodes, edges)), incidence_(nodes, edges) {
    groups_.resize(*std::ranges::max_element(group_of_) + 1);
    for (u32 i = 0; i < edges.size(); ++i) {
      auto& group = groups_[group_of_[i]];
      group.samples += static_cast<double>(edges[i].samples);
      group.instructions += edges[i].instructions;
    }
    for (auto& group : groups_) estimate(group);
    groups_[0] = {};
    for (u32 node = 0; node < nodes; ++node) divide(node);
    // From here on every group has a flow; they do not balance yet.
    constexpr int rounds = 40;
    for (int round = 0; round < rounds; ++round)
      for (u32 node = 0; node < nodes; ++node) balance(node);
  }

  std::vector<double> flows() const {
    std::vector<double> out(edges_.size());
    for (u32 i = 0; i < edges_.size(); ++i) {
      // Alone in cutting the graph: in a program that comes to an end nothing flows there.
      bool bridge = group_of_[i] == 0 && edges_[i].instructions != 0;
      out[i] = bridge ? static_cast<double>(edges_[i].samples) / edges_[i].instructions
                      : groups_[group_of_[i]].flow;
    }
    return out;
  }

 private:
  Group& group(u32 edge) { return groups_[group_of_[edge]]; }

  // The flow of the block that an edge without instructions leads to.
  double wanted_behind(u32 edge) {
    double most = 0;
    for (u32 i : incidence_.of(edges_[edge].to))
      if (edges_[i].from == edges_[edge].to && edges_[i].instructions)
        most = std::max(most, group(i).flow);
    return most;
  }

  // Gives the edges out of a node that know nothing their part of what comes in.
  void divide(u32 node) {
    double in = 0, wanted = 0;
    for (u32 i : incidence_.of(node)) {
      if (edges_[i].to == node && group(i).instructions > 0) in = std::max(in, group(i).flow);
      if (edges_[i].from == node && group(i).instructions == 0) wanted += wanted_behind(i);
    }
    for (u32 i : incidence_.of(node)) {
      auto& one = group(i);
      if (edges_[i].from != node || one.instructions > 0 || group_of_[i] == 0) continue;
      if (wanted > 0) one.flow = std::min(in, wanted_behind(i)) * wanted_behind(i) / wanted;
      one.variance = std::max(in * in, 1e-6);
    }
  }

  void balance(u32 node) {
    double surplus = 0, sum = 0;
    for (u32 i : incidence_.of(node)) {
      if (edges_[i].from == edges_[i].to) continue;
      surplus += edges_[i].to == node ? group(i).flow : -group(i).flow;
      sum += group(i).variance;
    }
    if (sum <= 0 || surplus == 0) return;
    for (u32 i : incidence_.of(node)) {
      if (edges_[i].from == edges_[i].to) continue;
      auto& one = group(i);
      double change = surplus * one.variance / sum;
      one.flow = std::max(0.0, one.flow + (edges_[i].to == node ? -change : change));
    }
  }

  std::span<const FlowEdge> edges_;
  std::vector<u32> group_of_;
  Incidence incidence_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<u32> equal_flows(u32 nodes, std::span<const FlowEdge> edges) {
  auto values = cut_values(nodes, edges);
  std::vector<u32> order(edges.size()), group(edges.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](u32 i) { return values[i]; });
  u32 count = 0;
  u64 last = 0;
  for (u32 i : order) {
    if (values[i] != last) ++count;
    last = values[i];
    group[i] = count;
  }
  return group;
}

std::vector<double> balance_flows(u32 nodes, std::span<const FlowEdge> edges) {
  if (edges.empty()) return {};
  return Balance(nodes, edges).flows();
}

}  // namespace pgokit::samples
