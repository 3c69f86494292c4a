#pragma once

// Which chains have edges between them, for algorithms that join chains two at a time, the best pair
// first, by a queue of what each pair gains.
//
//   ChainLinks links(number_of_chains);
//   links.add(a, b, edge);                           // edges by the caller's numbers
//   found.push_back({gain, link, links.weighed(link)});   // a candidate
//   if (links[link].stamp == candidate.stamp) ...    // it still holds: neither chain has changed
//   links.join(into, from);
//   for (u32 link : links.of(into)) weigh(link);

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"
#include "base/types.h"

namespace pgokit::order {

class ChainLinks {
 public:
  struct Link {
    u32 a = 0, b = 0;  // chains
    std::vector<u32> edges;
    u32 stamp = 0;  // of the latest weighing
  };

  explicit ChainLinks(size_t chains = 0) : near_(chains) {}

  void add(u32 a, u32 b, u32 edge);
  // Of two chains that have one.
  u32 between(u32 a, u32 b) const { return near_[a].at(b); }
  // Of a chain, ascending.
  std::vector<u32> of(u32 chain) const;

  u32 size() const { return static_cast<u32>(links_.size()); }
  const Link& operator[](u32 link) const { return links_[link]; }
  // How many chains it has edges with.
  size_t neighbours(u32 chain) const { return near_[chain].size(); }

  // A new stamp: candidates of earlier ones hold no longer.
  u32 weighed(u32 link) { return ++links_[link].stamp; }
  // The links of `from` become those of `into`. That between the two is emptied, and where both had
  // one with a third chain, the edges of both are in that of `into`.
  void join(u32 into, u32 from);

 private:
  std::vector<tsl::robin_map<u32, u32, IntHash>> near_;  // of a chain: the other one → link
  std::vector<Link> links_;
};

}  // namespace pgokit::order
