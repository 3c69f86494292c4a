#include "blocks.h"

#include <algorithm>
#include <numeric>

#include "runtime/mip_format.h"

namespace pgokit::plugin {
namespace {

constexpr uint32_t none = UINT32_MAX;

class Sets {
 public:
  explicit Sets(uint32_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }
  uint32_t find(uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  bool join(uint32_t a, uint32_t b) {
    a = find(a), b = find(b);
    parent_[a] = b;
    return a != b;
  }

 private:
  std::vector<uint32_t> parent_;
};

using Lists = std::vector<std::vector<uint32_t>>;

Lists reversed(const Lists& lists) {
  Lists result(lists.size());
  for (uint32_t from = 0; from < lists.size(); ++from) {
    for (const uint32_t to : lists[from]) result[to].push_back(from);
  }
  return result;
}

// Numbers of blocks when left, depth first from `root`; blocks that are not reached have none.
std::vector<uint32_t> post_order(const Lists& next, uint32_t root, std::vector<uint32_t>* order) {
  std::vector<uint32_t> number(next.size(), none), at(next.size(), 0);
  std::vector<bool> seen(next.size());
  std::vector<uint32_t> stack{root};
  seen[root] = true;
  while (!stack.empty()) {
    const uint32_t block = stack.back();
    if (at[block] < next[block].size()) {
      const uint32_t to = next[block][at[block]++];
      if (!seen[to]) seen[to] = true, stack.push_back(to);
      continue;
    }
    number[block] = static_cast<uint32_t>(order->size());
    order->push_back(block);
    stack.pop_back();
  }
  return number;
}

// Immediate dominators (Cooper, Harvey, Kennedy); `none` where not reached.
std::vector<uint32_t> dominators(const Lists& next, const Lists& previous, uint32_t root) {
  std::vector<uint32_t> order;
  const std::vector<uint32_t> number = post_order(next, root, &order);
  std::vector<uint32_t> above(next.size(), none);
  above[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = order.rbegin() + 1; at < order.rend(); ++at) {
      uint32_t found = none;
      for (uint32_t from : previous[*at]) {
        if (above[from] == none) continue;
        if (found == none) found = from;
        while (found != from) {
          while (number[found] < number[from]) found = above[found];
          while (number[from] < number[found]) from = above[from];
        }
      }
      if (above[*at] != found) above[*at] = found, changed = true;
    }
  }
  return above;
}

// Whether all of `blocks` have `dominator` directly above, and there are some. Deeper ones would
// have another of them above, so that nothing is lost by asking for the next only.
bool all_below(const std::vector<uint32_t>& blocks, const std::vector<uint32_t>& above,
               uint32_t dominator) {
  return !blocks.empty() && std::all_of(blocks.begin(), blocks.end(), [&](uint32_t block) {
    return block != dominator && block < above.size() && above[block] == dominator;
  });
}

// Whether what is known of `start` depends on `target`.
bool depends_on(uint32_t start, uint32_t target, const Lists& needs, std::vector<uint32_t>& mark) {
  std::vector<uint32_t> stack{start};
  while (!stack.empty()) {
    const uint32_t block = stack.back();
    stack.pop_back();
    if (block == target) return true;
    if (mark[block] == target) continue;
    mark[block] = target;
    stack.insert(stack.end(), needs[block].begin(), needs[block].end());
  }
  return false;
}

void number_counters(Counters& counters) {
  for (uint32_t& each : counters.of_block) {
    if (each == 0) each = counters.count++;
  }
}

}  // namespace

uint32_t Graph::edges() const {
  uint32_t sum = 0;
  for (const auto& each : successors) sum += static_cast<uint32_t>(each.size());
  return sum;
}

uint32_t Graph::signature() const {
  uint32_t result = mip_signature_add(MIP_SIGNATURE_START, size());
  for (const auto& each : successors) {
    result = mip_signature_add(result, static_cast<uint32_t>(each.size()));
    for (const uint32_t to : each) result = mip_signature_add(result, to);
  }
  return result;
}

Counters counters_everywhere(const Graph& graph) {
  Counters result{std::vector<uint32_t>(graph.size(), 0)};
  number_counters(result);
  return result;
}

Counters counters_of_flow(const Graph& graph) {
  const uint32_t size = graph.size();
  Sets places(2 * size);  // in(block) and out(block)
  for (uint32_t block = 0; block < size; ++block) {
    for (const uint32_t to : graph.successors[block]) places.join(size + block, to);
    if (graph.successors[block].empty()) places.join(size + block, 0);
  }
  std::vector<uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return graph.frequency[a] > graph.frequency[b]; });
  Counters result{std::vector<uint32_t>(size, 0)};
  Sets tree(2 * size);
  for (const uint32_t block : order) {
    if (tree.join(places.find(block), places.find(size + block)))
      result.of_block[block] = MIP_FROM_FLOW;
  }
  number_counters(result);
  return result;
}

Counters counters_of_coverage(const Graph& graph) {
  const uint32_t size = graph.size();
  Lists next = graph.successors;
  next.emplace_back();  // the exit
  for (uint32_t block = 0; block < size; ++block) {
    if (next[block].empty()) next[block].push_back(size);
  }
  const Lists previous = reversed(next);
  const std::vector<uint32_t> above = dominators(next, previous, 0);
  const std::vector<uint32_t> below = dominators(previous, next, size);
  Counters result{std::vector<uint32_t>(size, 0)};
  Lists needs(size);
  std::vector<uint32_t> mark(size, none);
  for (uint32_t block = 1; block < size; ++block) {
    if (all_below(previous[block], below, block)) {
      result.of_block[block] = MIP_FROM_PREDECESSORS;
      needs[block] = previous[block];
    }
  }
  // In large functions looking for circles would take too long, and the first rule is most of the
  // gain.
  for (uint32_t block = 1; block < size && size <= 4096; ++block) {
    const auto& to = graph.successors[block];
    if (result.of_block[block] != 0 || !all_below(to, above, block)) continue;
    std::fill(mark.begin(), mark.end(), none);
    if (std::any_of(to.begin(), to.end(),
                    [&](uint32_t each) { return depends_on(each, block, needs, mark); })) {
      continue;
    }
    result.of_block[block] = MIP_FROM_SUCCESSORS;
    needs[block] = to;
  }
  number_counters(result);
  return result;
}

}  // namespace pgokit::plugin
