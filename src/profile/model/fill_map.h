#pragma once

// A map that is filled by key in any order and then read in ascending order: what the counts of a
// function are kept in.
//
//   FillMap<LineLocation, u64> counts;
//   counts[{12, 0}] += 5;
//   counts.sort();
//   for (const auto& [location, count] : counts) ...
//
// A sorted vector while keys come in order or are few (files, most functions), with a hash index
// beside it once many came out of order; sort() drops that again. References into it last until the
// next insertion. Iteration needs sort() after the last insertion (asserted).

#include <tsl/robin_map.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>
#include <type_traits>

#include "base/compact_vector.h"

namespace pgokit::profile {

// Spreads an integer over all bits: robin_map takes the lowest ones.
constexpr u64 mix_bits(u64 x) {
  x *= 0x9e3779b97f4a7c15;
  return x ^ (x >> 32);
}

template <class Key>
struct FillHash {
  size_t operator()(const Key& key) const {
    if constexpr (std::is_enum_v<Key>)
      return mix_bits(static_cast<u64>(key));
    else
      return key.hash();
  }
};

template <class Key, class Value>
class FillMap {
 public:
  struct Entry {
    Key key;
    Value value;
  };

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

  void reserve(size_t n) { entries_.reserve(n); }

  // Everything there is in `from`, which keeps its memory for others. To be done to an empty map.
  void take_all(FillMap& from) {
    assert(empty());
    from.sort();
    reserve(from.size());
    for (auto& entry : from.entries_) entries_.emplace_back(std::move(entry));
    from.entries_.clear();
  }

  // The value of `key`, a default one at first.
  Value& operator[](const Key& key) {
    if (!entries_.empty() && entries_.back().key == key) return entries_.back().value;
    return entries_[position(key)].value;
  }

  const Value* find(const Key& key) const {
    size_t at = index_ ? look_up(key) : lower_bound(key);
    return at < entries_.size() && entries_[at].key == key ? &entries_[at].value : nullptr;
  }
  Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  bool erase(const Key& key) {
    sort();
    size_t at = lower_bound(key);
    if (at == entries_.size() || entries_[at].key != key) return false;
    entries_.erase(entries_.begin() + at);
    return true;
  }

  template <class Predicate>
  void erase_if(Predicate predicate) {
    sort();
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), predicate), entries_.end());
  }

  void sort() {
    if (index_) sort_entries();
  }
  // Gives each key another one, different ones different ones. The map is sorted then.
  template <class Renamed>
  void rename(Renamed renamed) {
    for (auto& entry : entries_) entry.key = renamed(entry.key);
    sort_entries();
  }

  auto begin() const { return assert(!index_), entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return assert(!index_), entries_.begin(); }
  auto end() { return entries_.end(); }
  // In no particular order, for passes over all values before sort().
  std::span<Entry> unordered() { return {entries_.data(), entries_.size()}; }
  std::span<const Entry> unordered() const { return {entries_.data(), entries_.size()}; }

  // For keys that mostly ascend and are mostly there, as when files are added up: the next one is
  // found beside the last, and new ones move the others once, at the end.
  //
  //   FillMap<LineLocation, u64>::Walk walk(counts);
  //   walk[{12, 0}] += 5;                               // counts itself is not touched meanwhile
  class Walk {
   public:
    explicit Walk(FillMap& map) : map_(map) {}
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;
    ~Walk() { put_fresh(); }

    // Lasts until the next call.
    Value& operator[](const Key& key) {
      if (map_.index_) return map_[key];
      auto& entries = map_.entries_;
      go_to(key);
      if (at_ < entries.size() && entries[at_].key == key) return entries[at_].value;
      if (!fresh_.empty() && fresh_.back().key == key) return fresh_.back().value;
      auto& target = at_ == entries.size() && fresh_.empty() ? entries : fresh_;
      return target.emplace_back(Entry{key, Value{}}).value;
    }

   private:
    // To the first entry that is not before `key`.
    void go_to(const Key& key) {
      auto& entries = map_.entries_;
      bool backwards = (at_ > 0 && !(entries[at_ - 1].key < key)) ||
                       (!fresh_.empty() && key < fresh_.back().key);
      if (backwards) [[unlikely]] {
        put_fresh();
        at_ = 0;
      }
      for (int steps = 0; steps < 4; ++steps, ++at_)
        if (at_ == entries.size() || !(entries[at_].key < key)) return;
      auto found = std::lower_bound(entries.begin() + at_, entries.end(), key,
                                    [](const Entry& e, const Key& k) { return e.key < k; });
      at_ = static_cast<size_t>(found - entries.begin());
    }

    // From the back, so that everything moves once.
    void put_fresh() {
      if (fresh_.empty()) return;
      auto& entries = map_.entries_;
      size_t old = entries.size(), place = old + fresh_.size();
      if (place > entries.capacity()) entries.reserve(place + place / 8);
      entries.resize(place);
      while (!fresh_.empty()) {
        bool from_old = old > 0 && fresh_.back().key < entries[old - 1].key;
        entries[--place] = std::move(from_old ? entries[old - 1] : fresh_.back());
        if (from_old)
          --old;
        else
          fresh_.pop_back();
      }
    }

    FillMap& map_;
    size_t at_ = 0;
    CompactVector<Entry> fresh_;  // ascending, none of them in the map
  };

 private:
  static constexpr size_t few = 48;
  using Index = tsl::robin_map<Key, u32, FillHash<Key>>;

  void sort_entries() {
    index_.reset();
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
  }

  size_t lower_bound(const Key& key) const {
    if (entries_.empty() || entries_.back().key < key) return entries_.size();
    auto found = std::lower_bound(entries_.begin(), entries_.end(), key,
                                  [](const Entry& entry, const Key& k) { return entry.key < k; });
    return static_cast<size_t>(found - entries_.begin());
  }

  size_t look_up(const Key& key) const {
    auto found = index_->find(key);
    return found == index_->end() ? entries_.size() : found->second;
  }

  u32 position(const Key& key) {
    size_t at = index_ ? look_up(key) : lower_bound(key);
    if (at < entries_.size() && entries_[at].key == key) return static_cast<u32>(at);
    if (!index_ && at < entries_.size() && entries_.size() >= few) build_index();
    if (index_) {
      at = entries_.size();
      index_->emplace(key, static_cast<u32>(at));
    }
    entries_.insert(entries_.begin() + at, Entry{key, Value{}});
    return static_cast<u32>(at);
  }

  void build_index() {
    index_ = std::make_unique<Index>(2 * entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i)
      index_->emplace(entries_[i].key, static_cast<u32>(i));
  }

  CompactVector<Entry> entries_;
  std::unique_ptr<Index> index_;  // set: entries_ is in order of insertion
};

}  // namespace pgokit::profile
