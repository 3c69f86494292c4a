#include "unwind/node_log.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/free_memory.h"
#include "base/huge_pages.h"
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

// A log that is large is likely to become larger, and moving it costs more than writing it.
void NodeLog::grow() {
  constexpr size_t large = 1 << 18;
  size_t room = 2 * std::max<size_t>(keys_.size(), 512);
  if (keys_.size() >= large && room_is_free()) room = std::max(room, limit_ + 2);
  keys_.reserve(room);
  if (ordered_) samples_.reserve(room);
}

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
// be sorted in the cache. Each source has its own part of each bucket.
SortedLog::SortedLog(const std::vector<Source>& sources, size_t nodes, unsigned threads) {
  constexpr size_t buckets = 1024;
  auto bucket_of = [&](u32 node) { return node * buckets / std::max<size_t>(nodes, 1); };
  std::vector<std::vector<size_t>> next(sources.size());  // by source and bucket
  parallel_for(sources.size(), threads, [&](size_t i, unsigned) {
    sources[i].log->flush();
    next[i].resize(buckets);
    for (u64 key : sources[i].log->keys_) ++next[i][bucket_of((*sources[i].nodes)[key >> 32])];
  });
  std::vector<size_t> begins;
  size_t size = 0;
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    begins.push_back(size);
    for (auto& of_source : next) size += std::exchange(of_source[bucket], size);
  }
  begins.push_back(size);
  keys_.resize(size);
  bool ordered = !sources.empty() && sources[0].log->ordered_;
  if (ordered) order_.resize(size);

  parallel_for(sources.size(), threads, [&](size_t i, unsigned) {
    const auto& source = sources[i];
    const auto& log = *source.log;
    for (size_t entry = 0; entry < log.keys_.size(); ++entry) {
      u64 key = source.renumbered(log.keys_[entry]);
      size_t at = next[i][bucket_of(static_cast<u32>(key >> 32))]++;
      keys_[at] = key;
      if (ordered) order_[at] = (*source.order)[log.samples_[entry]];
    }
    free_memory_of(source.log->keys_);
    free_memory_of(source.log->samples_);
  });
  for (const auto& source : sources)
    for (const auto& entry : std::exchange(source.log->weighted_, {}))
      weighted_.push_back(
          {source.renumbered(entry.key), entry.count, ordered ? (*source.order)[entry.sample] : 0});
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
