#pragma once

// Counts how often things happened at nodes: written down one after the other, then sorted and
// summed. Most pairs of a node and a thing are rare, so a hash map would be a cache miss for each;
// what is frequent, loops, stays in a small table of recent pairs and is written down rarely.
//
//   NodeLog log(false);                            // one per thread
//   log.add(node, thing, weight, sample);
//   SortedLog sorted({{&log, &nodes, &things, &order}}, last_node, threads);
//   for (SortedLog::Cursor at(sorted); at.at(node); at.next()) use(at.thing(), at.count());

#include <vector>

#include "base/hash.h"
#include "base/uninitialized_vector.h"

namespace pgokit::unwind {

inline u64 log_key(u32 node, u32 thing) { return u64{node} << 32 | thing; }

class NodeLog {
 public:
  struct Weighted {
    u64 key = 0, count = 0;
    u32 sample = 0;  // the first one that it was seen in
  };

  // `limit`: entries that may wait to be summed. `ordered`: samples are remembered.
  explicit NodeLog(bool ordered, size_t limit = 1 << 24)
      : ordered_(ordered), limit_(limit), recent_(recent_size) {}

  void add(u32 node, u32 thing, u64 weight, u32 sample) {
    u64 key = log_key(node, thing);
    Weighted& slot = recent_[IntHash{}(key) % recent_size];
    if (slot.key == key && slot.count != 0 && weight <= ~slot.count) {
      slot.count += weight;
    } else if (weight == 0) [[unlikely]] {
      weighted_.push_back({key, weight, sample});
    } else {
      write_down(slot);
      slot = {key, weight, sample};
    }
  }

 private:
  friend class SortedLog;
  static constexpr size_t recent_size = 4096;

  void write_down(const Weighted& entry) {
    // As often as it happened: two keys take less memory than one entry.
    if (entry.count <= 2) [[likely]] {
      if (keys_.capacity() - keys_.size() < 2) [[unlikely]]
        grow();
      for (u64 i = 0; i < entry.count; ++i) {
        keys_.push_back(entry.key);
        if (ordered_) samples_.push_back(entry.sample);
      }
    } else {
      weighted_.push_back(entry);
    }
    if (keys_.size() + weighted_.size() - summed_ >= limit_) [[unlikely]]
      sum();
  }
  void grow();
  void flush();
  void sum();

  bool ordered_;
  size_t limit_;
  size_t summed_ = 0;         // of weighted_: in order, each once
  std::vector<u64> keys_;     // of what happened once, in any order
  std::vector<u32> samples_;  // for each of them, where they are remembered
  std::vector<Weighted> weighted_;
  std::vector<Weighted> recent_;  // nothing where the count is 0
};

// What several threads wrote down, with numbers of their own for the same nodes and things.
class SortedLog {
 public:
  struct Source {
    NodeLog* log;  // is emptied
    // By the thread's number: everyone's.
    const std::vector<u32>* nodes;
    const std::vector<u32>* things;
    const std::vector<u32>* order;  // of samples

    u64 renumbered(u64 key) const {
      return log_key((*nodes)[key >> 32], (*things)[static_cast<u32>(key)]);
    }
  };

  SortedLog() = default;
  SortedLog(const std::vector<Source>& sources, size_t nodes, unsigned threads);

  // Goes through nodes, from any one on, and the things of each, ascending.
  class Cursor {
   public:
    explicit Cursor(const SortedLog& log, u32 first_node = 0);

    bool at_end() const { return at_end_; }
    bool at(u32 node) const { return !at_end_ && key_ >> 32 == node; }
    u32 node() const { return static_cast<u32>(key_ >> 32); }
    u32 thing() const { return static_cast<u32>(key_); }
    u64 count() const { return count_; }
    u32 order() const { return order_; }  // of the first sample that it was seen in
    // About what thing() will be after so many entries, to ask for what is known of it in time.
    u32 coming(size_t entries) const {
      size_t at = next_ + entries;
      return at < log_.keys_.size() ? static_cast<u32>(log_.keys_[at]) : thing();
    }
    void next();

   private:
    const SortedLog& log_;
    size_t next_ = 0, next_weighted_ = 0;
    u64 key_ = 0, count_ = 0;
    u32 order_ = 0;
    bool at_end_ = false;
  };

 private:
  void sort_bucket(size_t begin, size_t end);

  UninitializedVector<u64> keys_;
  UninitializedVector<u32> order_;  // for each key; empty: not remembered
  std::vector<NodeLog::Weighted> weighted_;
};

}  // namespace pgokit::unwind
