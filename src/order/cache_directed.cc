#include "order/cache_directed.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "order/chain_links.h"

namespace pgokit::order {
namespace {

// Functions that will stand behind each other. Their places count from an origin of the chain's
// own, so that a join gives new places to the smaller chain only.
struct Chain {
  std::vector<u32> functions;  // in no order: places tell it
  i64 begin = 0, end = 0;
  double weight = 0;

  double size() const { return static_cast<double>(end - begin); }
  double density() const { return weight / size(); }
};

struct Candidate {
  double gain = 0;
  u32 link = 0, stamp = 0;
  bool b_first = false;
  bool operator<(const Candidate& other) const {
    return gain != other.gain ? gain < other.gain : link > other.link;
  }
};

class CacheDirectedSort {
 public:
  CacheDirectedSort(const Model& model, const CacheModel& cache)
      : model_(model), cache_(cache), links_(model.functions.size()) {
    place_.resize(model.functions.size());
    for (u32 f = 0; f < model.functions.size(); ++f) {
      const auto& function = model.functions[f];
      auto& chain = chains_.emplace_back();
      chain.functions = {f};
      chain.end = static_cast<i64>(std::max<u64>(1, function.size));
      chain.weight = static_cast<double>(function.weight);
      total_ += chain.weight;
      of_.push_back(f);
    }
    for (u32 c = 0; c < model.calls.size(); ++c) {
      const auto& call = model.calls[c];
      if (call.from != call.to) links_.add(call.from, call.to, c);
    }
  }

  std::vector<u32> run() {
    for (u32 link = 0; link < links_.size(); ++link) weigh(link);
    while (!queue_.empty()) {
      Candidate best = queue_.top();
      queue_.pop();
      if (links_[best.link].stamp == best.stamp) join(best);
    }
    return order();
  }

 private:
  // What calls between the chains are worth when `shift` is added to the places of b.
  double closeness(const ChainLinks::Link& link, i64 shift) const {
    double sum = 0;
    for (u32 c : link.edges) {
      const auto& call = model_.calls[c];
      // The call is taken to be in the middle of its function.
      i64 from = place_[call.from] + static_cast<i64>(model_.functions[call.from].size / 2);
      i64 to = place_[call.to];
      (of_[call.from] == link.b ? from : to) += shift;
      double distance = std::max(1.0, std::abs(static_cast<double>(from - to)));
      sum += static_cast<double>(call.weight) * std::pow(distance, -cache_.distance_power);
    }
    return sum;
  }
  // The share of a chain's samples that miss the cache.
  double misses(double density) const {
    double share = density * cache_.entry_size / total_;
    return share >= 1 ? 0 : std::pow(1 - share, cache_.entries);
  }

  void weigh(u32 number) {
    u32 stamp = links_.weighed(number);
    const auto& link = links_[number];
    const auto &a = chains_[link.a], &b = chains_[link.b];
    if (a.functions.size() + b.functions.size() > cache_.chain_functions) return;
    double behind = closeness(link, a.end - b.begin), in_front = closeness(link, a.begin - b.end);
    double both = a.weight + b.weight;
    double spared = a.weight * misses(a.density()) + b.weight * misses(b.density()) -
                    both * misses(both / (a.size() + b.size()));
    double gain = std::max(behind, in_front) + cache_.frequency_scale * spared;
    if (gain <= 0) return;
    gain /= std::min(a.size(), b.size());
    queue_.push({gain, number, stamp, in_front > behind});
  }

  void join(const Candidate& best) {
    u32 into = links_[best.link].a, from = links_[best.link].b;
    bool from_first = best.b_first;
    if (chains_[into].functions.size() < chains_[from].functions.size()) {
      std::swap(into, from);
      from_first = !from_first;
    }
    auto &a = chains_[into], &b = chains_[from];
    i64 shift = from_first ? a.begin - b.end : a.end - b.begin;
    for (u32 f : b.functions) place_[f] += shift, of_[f] = into;
    (from_first ? a.begin : a.end) += from_first ? b.begin - b.end : b.end - b.begin;
    a.weight += b.weight;
    a.functions.insert(a.functions.end(), b.functions.begin(), b.functions.end());
    links_.join(into, from);
    b = {};
    for (u32 link : links_.of(into)) weigh(link);
  }

  std::vector<u32> order() {
    std::vector<const Chain*> placed;
    for (u32 c = 0; c < chains_.size(); ++c) {
      const auto& chain = chains_[c];
      if (chain.functions.size() > 1 ||
          (chain.functions.size() == 1 && (chain.weight > 0 || links_.neighbours(c) > 0)))
        placed.push_back(&chain);
    }
    std::ranges::stable_sort(placed, std::greater{}, &Chain::density);
    std::vector<u32> order;
    for (const auto* chain : placed) {
      auto functions = chain->functions;
      std::ranges::sort(functions, {}, [&](u32 f) { return place_[f]; });
      order.insert(order.end(), functions.begin(), functions.end());
    }
    return order;
  }

  const Model& model_;
  const CacheModel cache_;
  std::vector<Chain> chains_;  // by number of their first function
  ChainLinks links_;           // by calls
  std::vector<i64> place_;
  std::vector<u32> of_;  // the chain of each function
  std::priority_queue<Candidate> queue_;
  double total_ = 0;
};

}  // namespace

std::vector<u32> cache_directed(const Model& model, const CacheModel& cache) {
  return CacheDirectedSort(model, cache).run();
}

}  // namespace pgokit::order
