#pragma once

// Records of contexts, which come in any order, kept by context: two arrays.
//
//   ContextRows<Row> rows(contexts);
//   rows.expect(context, 2);                 // any number of threads
//   rows.allocate();                         // everything is expected
//   rows.put(context, {location, 3});        // any number of threads; as often as expected
//   for (const Row& row : rows.of(context)) ...
//
// Those of one context are in no particular order.

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/types.h"

namespace pgokit::generate {

template <class Record>
class ContextRows {
 public:
  ContextRows() = default;
  explicit ContextRows(size_t contexts) : end_(contexts) {}

  void expect(u32 context, u32 records) {
    std::atomic_ref(end_[context]).fetch_add(records, std::memory_order_relaxed);
  }
  // From here on end_ is where the next record of a context goes: up to the first of the one
  // behind.
  void allocate() {
    u32 sum = 0;
    for (u32& end : end_) end = std::exchange(sum, sum + end);
    size_ = sum;
    records_ = std::make_unique_for_overwrite<Record[]>(sum);
  }
  void put(u32 context, std::span<const Record> records) {
    auto count = static_cast<u32>(records.size());
    u32 at = std::atomic_ref(end_[context]).fetch_add(count, std::memory_order_relaxed);
    std::ranges::copy(records, records_.get() + at);
  }
  void put(u32 context, const Record& record) { put(context, std::span(&record, 1)); }

  std::span<const Record> of(u32 context) const {
    if (size_ == 0) return {};
    u32 first = context ? end_[context - 1] : 0;
    return {records_.get() + first, records_.get() + end_[context]};
  }
  size_t size() const { return size_; }
  // For those who know which contexts they will ask for: first where its records are, then those.
  void prefetch_place(u32 context) const {
    if (size_) __builtin_prefetch(&end_[context]);
  }
  void prefetch_records(u32 context) const {
    if (size_) __builtin_prefetch(of(context).data());
  }

 private:
  std::vector<u32> end_;
  size_t size_ = 0;
  std::unique_ptr<Record[]> records_;
};

}  // namespace pgokit::generate
