// Chains of blocks are joined two at a time, always those that gain most. A join may cut one of the
// two chains and put the other into the cut, or turn its halves around: that way a loop gets the
// block behind it that it was laid out without at first. A join changes the score only by edges
// between the two chains and, where one is cut, by edges inside of that one; so it is weighed by
// looking at these alone. What a pair gains is kept in a queue until one of the two changes.
//
// In the end no join gains anything. The chain with the entry comes first, the others by density.

#include "block_layout/ext_tsp.h"

#include <algorithm>
#include <queue>

#include "order/chain_links.h"

namespace pgokit::block_layout {
namespace {

constexpr double only_fall_through = 1.05, fall_through = 1, jump = 0.1;
constexpr i64 forward_reach = 1024, backward_reach = 640;
// Longer chains are not cut: each place to cut is weighed on its own.
constexpr size_t longest_to_cut = 128;
// What is lost in the last bits of sums is no gain.
constexpr double least_gain = 1e-8;

i64 size_of(const Node& node) { return std::max<u32>(node.size, 1); }

// From the end of one block to the begin of another.
double weight_of(i64 distance, bool only) {
  if (distance == 0) return only ? only_fall_through : fall_through;
  i64 reach = distance > 0 ? forward_reach : backward_reach;
  i64 length = distance > 0 ? distance : -distance;
  if (length >= reach) return 0;
  return jump * (1 - static_cast<double>(length) / static_cast<double>(reach));
}

std::vector<bool> only_edges(const Graph& graph) {
  std::vector<u8> edges(graph.nodes.size());
  for (const auto& edge : graph.edges)
    edges[edge.from] = static_cast<u8>(std::min(edges[edge.from] + 1, 2));
  std::vector<bool> only(edges.size());
  for (size_t i = 0; i < edges.size(); ++i) only[i] = edges[i] == 1;
  return only;
}

// Places of nodes are counted from the begin of their chain.
struct Chain {
  std::vector<u32> nodes;
  std::vector<u32> inside;  // edges from a node of the chain to one of it
  i64 size = 0;
  double score = 0;  // of `inside`
  double count = 0;  // executed bytes

  double density() const { return count / static_cast<double>(size); }
};

// How chain `cut` of a link, divided into X1 and X2, is put together with the other one, Y.
enum class Form : u8 { x1_y_x2, y_x2_x1, x2_x1_y };

struct Join {
  double gain = 0;
  u32 link = 0, stamp = 0;
  u32 cut = 0;    // the chain that is cut
  u32 place = 0;  // nodes in X1
  Form form{};
  bool operator<(const Join& other) const {
    return gain != other.gain ? gain < other.gain : link > other.link;
  }
};

class ExtTsp {
 public:
  explicit ExtTsp(const Graph& graph)
      : graph_(graph), only_(only_edges(graph)), links_(graph.nodes.size()) {
    auto nodes = static_cast<u32>(graph.nodes.size());
    place_.resize(nodes);
    for (u32 n = 0; n < nodes; ++n) {
      auto& chain = chains_.emplace_back();
      chain.nodes = {n};
      chain.size = size_of(graph.nodes[n]);
      chain.count = static_cast<double>(graph.nodes[n].count) * static_cast<double>(chain.size);
      of_.push_back(n);
    }
    for (u32 e = 0; e < graph.edges.size(); ++e) {
      const auto& edge = graph.edges[e];
      if (edge.from != edge.to && edge.count != 0) links_.add(edge.from, edge.to, e);
    }
  }

  std::vector<u32> run() {
    join_certain_pairs();
    for (u32 link = 0; link < links_.size(); ++link) weigh(link);
    while (!queue_.empty()) {
      Join best = queue_.top();
      queue_.pop();
      if (links_[best.link].stamp != best.stamp) continue;
      for (u32 link : links_.of(join(best))) weigh(link);
    }
    return order();
  }

 private:
  double score_of(u32 number, i64 from, i64 to) const {
    const auto& edge = graph_.edges[number];
    i64 distance = to - (from + size_of(graph_.nodes[edge.from]));
    return static_cast<double>(edge.count) * weight_of(distance, only_[edge.from]);
  }

  // A block whose only edge goes to a block that has no other: nothing is better in between.
  void join_certain_pairs() {
    std::vector<u32> ways_in(graph_.nodes.size());
    for (const auto& edge : graph_.edges) ++ways_in[edge.to];
    for (const auto& edge : graph_.edges) {
      if (!only_[edge.from] || ways_in[edge.to] != 1 || edge.to == 0 || edge.count == 0) continue;
      u32 x = of_[edge.from], y = of_[edge.to];
      if (x == y) continue;  // a circle
      u32 link = links_.between(x, y);
      join({.link = link,
            .stamp = links_[link].stamp,
            .cut = x,
            .place = static_cast<u32>(chains_[x].nodes.size()),
            .form = Form::x1_y_x2});
    }
  }

  // Where the parts begin in the chain that is made.
  struct Shifts {
    i64 x1 = 0, x2 = 0, y = 0;
  };
  Shifts shifts_of(const Chain& x, const Chain& y, Form form, i64 cut) const {
    switch (form) {
      case Form::x1_y_x2:
        return {.x1 = 0, .x2 = y.size, .y = cut};
      case Form::y_x2_x1:
        return {.x1 = y.size + x.size - cut, .x2 = y.size - cut, .y = 0};
      default:
        return {.x1 = x.size - cut, .x2 = -cut, .y = x.size};
    }
  }

  // What the edges between and those in X come to.
  double score_of(const order::ChainLinks::Link& link, u32 x, const Shifts& shifts, i64 cut) const {
    auto place = [&](u32 node) {
      if (of_[node] != x) return place_[node] + shifts.y;
      return place_[node] + (place_[node] < cut ? shifts.x1 : shifts.x2);
    };
    double sum = 0;
    auto add = [&](const std::vector<u32>& edges) {
      for (u32 e : edges)
        sum += score_of(e, place(graph_.edges[e].from), place(graph_.edges[e].to));
    };
    add(link.edges);
    if (cut > 0 && cut < chains_[x].size)
      add(chains_[x].inside);
    else
      sum += chains_[x].score;
    return sum;
  }

  // Node 0 has to stay in front.
  bool may_begin(u32 x, u32 y, u32 place, Form form) const {
    u32 entry = of_[0];
    if (entry != x && entry != y) return true;
    switch (form) {
      case Form::x1_y_x2:
        return place > 0 ? entry == x : entry == y;
      case Form::y_x2_x1:
        return entry == y;
      default:
        return place == 0 && entry == x;
    }
  }

  void weigh_cut(u32 number, u32 x, u32 y, u32 place, Form form, Join& best) const {
    if (!may_begin(x, y, place, form)) return;
    const auto& chain = chains_[x];
    i64 cut = place < chain.nodes.size() ? place_[chain.nodes[place]] : chain.size;
    const auto& link = links_[number];
    double gain = score_of(link, x, shifts_of(chain, chains_[y], form, cut), cut) - chain.score;
    if (gain > best.gain)
      best = {.gain = gain,
              .link = number,
              .stamp = link.stamp,
              .cut = x,
              .place = place,
              .form = form};
  }

  void weigh(u32 number) {
    links_.weighed(number);
    const auto& link = links_[number];
    if (link.edges.empty()) return;
    Join best{.gain = least_gain};
    for (auto [x, y] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      auto nodes = static_cast<u32>(chains_[x].nodes.size());
      weigh_cut(number, x, y, nodes, Form::x1_y_x2, best);
      if (nodes > longest_to_cut) continue;
      for (u32 place = 1; place < nodes; ++place)
        for (Form form : {Form::x1_y_x2, Form::y_x2_x1, Form::x2_x1_y})
          weigh_cut(number, x, y, place, form, best);
    }
    if (best.gain > least_gain) queue_.push(best);
  }

  // The chain that is made.
  u32 join(const Join& best) {
    u32 x = best.cut, y = links_[best.link].a == x ? links_[best.link].b : links_[best.link].a;
    auto middle = chains_[x].nodes.begin() + best.place;
    std::vector<u32> nodes;
    nodes.reserve(chains_[x].nodes.size() + chains_[y].nodes.size());
    auto add = [&](auto begin, auto end) { nodes.insert(nodes.end(), begin, end); };
    auto add_x1 = [&] { add(chains_[x].nodes.begin(), middle); };
    auto add_x2 = [&] { add(middle, chains_[x].nodes.end()); };
    auto add_y = [&] { add(chains_[y].nodes.begin(), chains_[y].nodes.end()); };
    switch (best.form) {
      case Form::x1_y_x2:
        add_x1(), add_y(), add_x2();
        break;
      case Form::y_x2_x1:
        add_y(), add_x2(), add_x1();
        break;
      default:
        add_x2(), add_x1(), add_y();
    }
    u32 into = x, from = y;
    if (links_.neighbours(into) < links_.neighbours(from)) std::swap(into, from);
    auto &a = chains_[into], &b = chains_[from];
    const auto& between = links_[best.link].edges;
    a.inside.insert(a.inside.end(), b.inside.begin(), b.inside.end());
    a.inside.insert(a.inside.end(), between.begin(), between.end());
    a.nodes = std::move(nodes);
    a.size += b.size;
    a.count += b.count;
    links_.join(into, from);
    b = {};
    i64 at = 0;
    for (u32 node : a.nodes) {
      place_[node] = at;
      of_[node] = into;
      at += size_of(graph_.nodes[node]);
    }
    a.score = 0;
    for (u32 e : a.inside)
      a.score += score_of(e, place_[graph_.edges[e].from], place_[graph_.edges[e].to]);
    return into;
  }

  std::vector<u32> order() const {
    std::vector<const Chain*> rest;
    for (u32 c = 0; c < chains_.size(); ++c)
      if (!chains_[c].nodes.empty() && c != of_[0]) rest.push_back(&chains_[c]);
    std::ranges::stable_sort(rest, [](const Chain* a, const Chain* b) {
      return a->density() != b->density() ? a->density() > b->density() : a->nodes[0] < b->nodes[0];
    });
    auto order = chains_[of_[0]].nodes;
    for (const auto* chain : rest)
      order.insert(order.end(), chain->nodes.begin(), chain->nodes.end());
    return order;
  }

  const Graph& graph_;
  std::vector<bool> only_;
  std::vector<Chain> chains_;
  order::ChainLinks links_;
  std::vector<i64> place_;  // of each node in its chain
  std::vector<u32> of_;     // the chain of each node
  std::priority_queue<Join> queue_;
};

}  // namespace

double ext_tsp_score(const Graph& graph, std::span<const u32> order) {
  constexpr i64 nowhere = -1;
  std::vector<i64> places(graph.nodes.size(), nowhere);
  i64 at = 0;
  for (u32 node : order) {
    places[node] = at;
    at += size_of(graph.nodes[node]);
  }
  auto only = only_edges(graph);
  double score = 0;
  for (const auto& edge : graph.edges) {
    i64 from = places[edge.from], to = places[edge.to];
    if (from == nowhere || to == nowhere || edge.from == edge.to) continue;
    i64 distance = to - (from + size_of(graph.nodes[edge.from]));
    score += static_cast<double>(edge.count) * weight_of(distance, only[edge.from]);
  }
  return score;
}

std::vector<u32> ext_tsp_order(const Graph& graph) {
  if (graph.nodes.empty()) return {};
  return ExtTsp(graph).run();
}

}  // namespace pgokit::block_layout
