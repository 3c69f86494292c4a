#include "unwind/node_log.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "base/sort_and_sum.h"

namespace pgokit::unwind {
namespace {

struct Ordered {
  u64 key;
  u32 order;
};

// By key, from the lowest digit on, with those digits only that are not the same in all: four
// passes for a bucket.
void radix_sort(std::vector<Ordered>& entries, std::vector<Ordered>& spare) {
  constexpr unsigned bits = 10;
  if (entries.size() < 1 << bits / 2) return void(std::ranges::sort(entries, {}, &Ordered::key));
  u64 differing = 0;
  for (const auto& entry : entries) differing |= entry.key ^ entries[0].key;
  for (unsigned shift = 0; shift < 64 && differing >> shift; shift += bits) {
    constexpr u64 mask = (1 << bits) - 1;
    if ((differing >> shift & mask) == 0) continue;
    std::array<u32, mask + 2> begin{};
    for (const auto& entry : entries) ++begin[(entry.key >> shift & mask) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const auto& entry : entries) spare[begin[entry.key >> shift & mask]++] = entry;
    entries.swap(spare);
  }
}

}  // namespace

void NodeLog::flush() {
  for (auto& slot : recent_) {
    write_down(slot);
    slot.count = 0;
  }
}

void NodeLog::sum() {
  for (size_t i = 0; i < keys_.size(); ++i)
    weighted_.push_back({keys_[i], 1, ordered_ ? samples_[i] : 0});
  keys_.clear();
  samples_.clear();
  sort_and_sum(weighted_, &Weighted::key, [](Weighted& sum, const Weighted& entry) {
    sum.count = add_saturated(sum.count, entry.count);
    sum.sample = std::min(sum.sample, entry.sample);
  });
  summed_ = weighted_.size();
  limit_ = std::max(limit_, summed_);
}

// Entries go into buckets of neighbouring nodes while they are renumbered, so that each bucket can
// be sorted in the cache.
SortedLog::SortedLog(const std::vector<Source>& sources, size_t nodes, unsigned threads) {
  constexpr size_t buckets = 1024;
  auto bucket_of = [&](u32 node) { return node * buckets / std::max<size_t>(nodes, 1); };
  std::vector<size_t> begins(buckets + 1);
  for (const auto& source : sources) source.log->flush();
  for (const auto& source : sources)
    for (u64 key : source.log->keys_) ++begins[bucket_of((*source.nodes)[key >> 32]) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  keys_.resize(begins.back());
  bool ordered = !sources.empty() && sources[0].log->ordered_;
  if (ordered) order_.resize(keys_.size());

  auto next = begins;
  for (const auto& source : sources) {
    NodeLog log = std::move(*source.log);
    auto renumbered = [&](u64 key) {
      return log_key((*source.nodes)[key >> 32], (*source.things)[static_cast<u32>(key)]);
    };
    for (size_t i = 0; i < log.keys_.size(); ++i) {
      u64 key = renumbered(log.keys_[i]);
      size_t at = next[bucket_of(static_cast<u32>(key >> 32))]++;
      keys_[at] = key;
      if (ordered) order_[at] = (*source.order)[log.samples_[i]];
    }
    for (const auto& entry : log.weighted_)
      weighted_.push_back(
          {renumbered(entry.key), entry.count, ordered ? (*source.order)[entry.sample] : 0});
  }
  std::ranges::sort(weighted_, {}, &NodeLog::Weighted::key);
  parallel_for(buckets, threads,
               [&](size_t bucket, unsigned) { sort_bucket(begins[bucket], begins[bucket + 1]); });
}

void SortedLog::sort_bucket(size_t begin, size_t end) {
  std::vector<Ordered> entries(end - begin), spare(end - begin);
  for (size_t i = begin; i < end; ++i)
    entries[i - begin] = {keys_[i], order_.empty() ? 0 : order_[i]};
  radix_sort(entries, spare);
  for (size_t i = begin; i < end; ++i) {
    keys_[i] = entries[i - begin].key;
    if (!order_.empty()) order_[i] = entries[i - begin].order;
  }
}

SortedLog::Cursor::Cursor(const SortedLog& log, u32 first_node) : log_(log) {
  u64 first = log_key(first_node, 0);
  next_ = static_cast<size_t>(std::ranges::lower_bound(log.keys_, first) - log.keys_.begin());
  next_weighted_ = static_cast<size_t>(
      std::ranges::lower_bound(log.weighted_, first, {}, &NodeLog::Weighted::key) -
      log.weighted_.begin());
  next();
}

void SortedLog::Cursor::next() {
  const auto& log = log_;
  bool single = next_ < log.keys_.size(), weighted = next_weighted_ < log.weighted_.size();
  at_end_ = !single && !weighted;
  if (at_end_) return;
  key_ = ~u64{0};
  if (single) key_ = log.keys_[next_];
  if (weighted) key_ = std::min(key_, log.weighted_[next_weighted_].key);
  count_ = 0;
  order_ = ~u32{0};
  for (; next_ < log.keys_.size() && log.keys_[next_] == key_; ++next_) {
    ++count_;
    if (!log.order_.empty()) order_ = std::min(order_, log.order_[next_]);
  }
  for (; next_weighted_ < log.weighted_.size() && log.weighted_[next_weighted_].key == key_;
       ++next_weighted_) {
    count_ = add_saturated(count_, log.weighted_[next_weighted_].count);
    order_ = std::min(order_, log.weighted_[next_weighted_].sample);
  }
}

}  // namespace pgokit::unwind
