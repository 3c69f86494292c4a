#pragma once

// What contexts have counted: in pools, where one thread has written it, run by run, and with a list
// of the runs of each context.
//
//   ContextPool pool;                                    // one per thread and part of the contexts
//   pool.begin(context);
//   pool.add_row(location, 3);
//   pool.add_call(location, callee, 2);                  // a row and a target of that count
//   pool.renumber([&](u32 context) { return numbers[context]; });
//   ContextRecords records(std::move(pools), contexts, threads);
//   records.read(context, [&](u32 location, u64 count) { ... },
//                [&](u32 location, NameId callee, u64 count) { ... }, [&](u32 list) { ... });
//
// There are tens of millions of rows, so one takes 8 bytes; a count of more than 32 bits is two of
// them, as rows of one place add up. Nothing is in a particular order.

#include <memory>
#include <span>
#include <vector>

#include "profile/model/name_table.h"

namespace pgokit::generate {

class ContextPool {
 public:
  static constexpr u32 no_list = ~u32{0};

  // What is added from here on is of this context. `list`: places that it has besides.
  void begin(u32 context, u32 list = no_list) { runs_.push_back({context, list, end()}); }
  // Locations are below 2^30.
  void add_row(u32 location, u64 count) {
    if (auto high = static_cast<u32>(count >> 32)) [[unlikely]]
      put(location, Kind::high_row, high);
    if (auto low = static_cast<u32>(count); low || count == 0) [[likely]]
      put(location, Kind::row, low);
  }
  void add_target(u32 location, NameId callee, u64 count) {
    put(location, Kind::target, static_cast<u32>(callee));
    words_.push_back(count);
  }
  void add_call(u32 location, NameId callee, u64 count) {
    put(location, Kind::call, static_cast<u32>(callee));
    words_.push_back(count);
  }
  // From numbers of the thread's own to those that all have in common.
  template <class Number>
  void renumber(const Number& number) {
    for (auto& run : runs_) run.context = number(run.context);
  }
  // Empty, in the memory that is there.
  void clear() {
    runs_.clear();
    words_.clear();
  }

 private:
  friend class ContextRecords;
  enum class Kind : u32 { row, high_row, target, call };
  static constexpr unsigned kind_bits = 2;
  struct Run {
    u32 context, list;
    u32 begin;  // in words_; it ends where the next one begins
  };

  u32 end() const { return static_cast<u32>(words_.size()); }
  void put(u32 location, Kind kind, u32 value) {
    words_.push_back(u64{value} << 32 | location << kind_bits | static_cast<u32>(kind));
  }
  template <class Row, class Target>
  static void read(std::span<const u64> words, const Row& row, const Target& target) {
    for (size_t i = 0; i < words.size(); ++i) {
      auto value = static_cast<u32>(words[i] >> 32);
      u32 location = static_cast<u32>(words[i]) >> kind_bits;
      switch (static_cast<Kind>(words[i] & ((1 << kind_bits) - 1))) {
        case Kind::row:
          row(location, u64{value});
          break;
        case Kind::high_row:
          row(location, u64{value} << 32);
          break;
        case Kind::call:
          row(location, words[i + 1]);
          [[fallthrough]];
        case Kind::target:
          target(location, NameId(value), words[++i]);
          break;
      }
    }
  }

  std::vector<Run> runs_;
  std::vector<u64> words_;
};

class ContextRecords {
 public:
  ContextRecords() = default;
  ContextRecords(std::vector<ContextPool> pools, size_t contexts, unsigned threads);

  template <class Row, class Target, class List>
  void read(u32 context, const Row& row, const Target& target, const List& list) const {
    for (const auto& run : of(context)) {
      if (run.list != ContextPool::no_list) list(run.list);
      ContextPool::read(words_of(run), row, target);
    }
  }
  // For those who know which contexts they will ask for: all three, some time apart.
  void prefetch_place(u32 context) const { __builtin_prefetch(&end_[context]); }
  void prefetch_runs(u32 context) const { __builtin_prefetch(of(context).data()); }
  void prefetch_records(u32 context) const {
    if (auto runs = of(context); !runs.empty()) __builtin_prefetch(words_of(runs[0]).data());
  }

 private:
  struct Run {
    u32 list;
    u32 pool;
    u32 begin, size;  // in the words of the pool
  };
  std::span<const Run> of(u32 context) const {
    return {runs_.get() + (context ? end_[context - 1] : 0), runs_.get() + end_[context]};
  }
  std::span<const u64> words_of(const Run& run) const {
    return std::span(words_[run.pool]).subspan(run.begin, run.size);
  }

  std::vector<std::vector<u64>> words_;  // of pools
  std::vector<u32> end_;                 // by context: of its runs
  std::unique_ptr<Run[]> runs_;
};

}  // namespace pgokit::generate
