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
#include <vector>

#include "base/types.h"

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

  // The value of `key`, a default one at first.
  Value& operator[](const Key& key) {
    if (hint_ < entries_.size() && entries_[hint_].key == key) return entries_[hint_].value;
    return entries_[hint_ = position(key)].value;
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
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }

  template <class Predicate>
  void erase_if(Predicate predicate) {
    sort();
    std::erase_if(entries_, predicate);
    hint_ = 0;
  }

  void sort() {
    if (!index_) return;
    index_.reset();
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
    hint_ = 0;
  }

  auto begin() const { return assert(!index_), entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return assert(!index_), entries_.begin(); }
  auto end() { return entries_.end(); }
  // In no particular order, for passes over all values before sort().
  std::span<Entry> unordered() { return entries_; }
  std::span<const Entry> unordered() const { return entries_; }

 private:
  static constexpr size_t few = 48;
  using Index = tsl::robin_map<Key, u32, FillHash<Key>>;

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
    entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(at), Entry{key, Value{}});
    return static_cast<u32>(at);
  }

  void build_index() {
    index_ = std::make_unique<Index>(2 * entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i)
      index_->emplace(entries_[i].key, static_cast<u32>(i));
  }

  std::vector<Entry> entries_;
  std::unique_ptr<Index> index_;  // set: entries_ is in order of insertion
  u32 hint_ = 0;                  // the last one asked for is often the next one
};

}  // namespace pgokit::profile
