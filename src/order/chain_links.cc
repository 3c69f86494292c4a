#include "order/chain_links.h"

#include <algorithm>
#include <utility>

namespace pgokit::order {

void ChainLinks::add(u32 a, u32 b, u32 edge) {
  auto [it, added] = near_[a].try_emplace(b, size());
  if (added) {
    near_[b].emplace(a, it->second);
    links_.push_back({a, b, {}, 0});
  }
  links_[it->second].edges.push_back(edge);
}

std::vector<u32> ChainLinks::of(u32 chain) const {
  std::vector<u32> links;
  for (auto [other, link] : near_[chain]) links.push_back(link);
  std::ranges::sort(links);
  return links;
}

void ChainLinks::join(u32 into, u32 from) {
  auto& near_into = near_[into];
  u32 emptied = between(into, from);
  links_[emptied].edges = {};
  ++links_[emptied].stamp;
  near_into.erase(from);
  for (auto [other, number] : std::exchange(near_[from], {})) {
    if (other == into) continue;
    near_[other].erase(from);
    auto [it, added] = near_into.try_emplace(other, number);
    auto& link = links_[number];
    if (added) {
      (link.a == from ? link.a : link.b) = into;
      near_[other].emplace(into, number);
      continue;
    }
    auto& kept = links_[it->second].edges;
    if (kept.size() < link.edges.size()) std::swap(kept, link.edges);
    kept.insert(kept.end(), link.edges.begin(), link.edges.end());
    link.edges = {};
    ++link.stamp;
  }
}

}  // namespace pgokit::order
