#pragma once

// What contexts have counted: in pools while threads write it, then one context after the other.
//
//   ContextPool pool;                                    // one per thread and part of the contexts
//   pool.begin(context);
//   pool.add_row(location, 3);
//   pool.add_call(location, callee, 2);                  // a row and a target of that count
//   pool.add_list(list, 3);                              // a row of that count for each place of it
//   pool.renumber([&](u32 context) { return numbers[context]; });
//   ContextRecords records(std::move(pools), contexts, threads);
//   records.read(context, [&](u32 location, u64 count) { ... },
//                [&](u32 location, NameId callee, u64 count) { ... },
//                [&](u32 list, u64 count) { ... });
//
// There are tens of millions of rows and lists, so one is a word of 32 bits where it fits:
//
//   bit 0 to 2  3 to 15   16 to 31
//   row         location  count
//   call        location  count     callee
//   target      location  count     callee
//   list        its number, to bit 23, and the count
//   wide row, call, target, list    location or number  count (2 words)  callee, as above
//
// Rows of one place add up. Nothing of a context is in a particular order.

#include <span>
#include <vector>

#include "base/uninitialized_vector.h"
#include "profile/model/name_table.h"

namespace pgokit::generate {

class ContextPool {
 public:
  // What is added from here on is of this context.
  void begin(u32 context) { runs_.push_back({context, end()}); }
  void add_row(u32 location, u64 count) {
    if (is_short(location, count)) [[likely]]
      return put(Kind::row, location, count);
    put_wide(Kind::wide_row, location, count);
  }
  void add_target(u32 location, NameId callee, u64 count) {
    is_short(location, count) ? put(Kind::target, location, count)
                              : put_wide(Kind::wide_target, location, count);
    words_.push_back(static_cast<u32>(callee));
  }
  void add_call(u32 location, NameId callee, u64 count) {
    is_short(location, count) ? put(Kind::call, location, count)
                              : put_wide(Kind::wide_call, location, count);
    words_.push_back(static_cast<u32>(callee));
  }
  void add_list(u32 list, u64 count) {
    if (list < 1u << list_bits && count < 1u << list_count_bits) [[likely]]
      return words_.push_back(static_cast<u32>(count) << (32 - list_count_bits) |
                              list << kind_bits | static_cast<u32>(Kind::list));
    put_wide(Kind::wide_list, list, count);
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
  enum class Kind : u32 { row, call, target, list, wide_row, wide_call, wide_target, wide_list };
  static constexpr unsigned kind_bits = 3, count_bits = 16;
  static constexpr unsigned list_bits = 21, list_count_bits = 8;
  struct Run {
    u32 context;
    u32 begin;  // in words_; it ends where the next one begins
  };

  u32 end() const { return static_cast<u32>(words_.size()); }
  u32 end(size_t run) const { return run + 1 < runs_.size() ? runs_[run + 1].begin : end(); }
  static bool is_short(u32 location, u64 count) {
    return location < 1u << (32 - kind_bits - count_bits) && count < 1u << count_bits;
  }
  void put(Kind kind, u32 location, u64 count) {
    words_.push_back(static_cast<u32>(count) << (32 - count_bits) | location << kind_bits |
                     static_cast<u32>(kind));
  }
  void put_wide(Kind kind, u32 location, u64 count) {
    words_.insert(words_.end(), {static_cast<u32>(kind), location, static_cast<u32>(count),
                                 static_cast<u32>(count >> 32)});
  }
  template <class Row, class Target, class List>
  static void read(std::span<const u32> words, const Row& row, const Target& target,
                   const List& list) {
    for (const u32 *at = words.data(), *end = at + words.size(); at < end;) {
      u32 word = *at++;
      auto kind = Kind{word & ((1 << kind_bits) - 1)};
      if (kind == Kind::list) {
        list(word >> kind_bits & ((1u << list_bits) - 1), word >> (32 - list_count_bits));
        continue;
      }
      u32 location = (word & ((1u << (32 - count_bits)) - 1)) >> kind_bits;
      u64 count = word >> (32 - count_bits);
      if (kind >= Kind::wide_row) [[unlikely]] {
        location = at[0];
        count = u64{at[2]} << 32 | at[1];
        at += 3;
        if (kind == Kind::wide_list) {
          list(location, count);
          continue;
        }
        kind = Kind{static_cast<u32>(kind) - static_cast<u32>(Kind::wide_row)};
      }
      if (kind != Kind::target) row(location, count);
      if (kind != Kind::row) target(location, NameId{*at++}, count);
    }
  }

  std::vector<Run> runs_;
  std::vector<u32> words_;
};

class ContextRecords {
 public:
  ContextRecords() = default;
  ContextRecords(std::vector<ContextPool> pools, size_t contexts, unsigned threads);

  template <class Row, class Target, class List>
  void read(u32 context, const Row& row, const Target& target, const List& list) const {
    ContextPool::read(of(context), row, target, list);
  }
  // For those who know which contexts they will ask for: both, some time apart.
  void prefetch_place(u32 context) const { __builtin_prefetch(&end_[context]); }
  void prefetch_records(u32 context) const { __builtin_prefetch(of(context).data()); }

 private:
  // Within a block of contexts 32 bits are enough to say where something is.
  static constexpr unsigned block_bits = 14;

  u64 first_of_block(u32 context) const { return first_of_block_[context >> block_bits]; }
  std::span<const u32> of(u32 context) const {
    u32 begin = context & ((1 << block_bits) - 1) ? end_[context - 1] : 0;
    return {words_.data() + first_of_block(context) + begin, end_[context] - begin};
  }
  void find_places(unsigned threads);

  std::vector<u64> first_of_block_;  // in words_
  std::vector<u32> end_;             // by context: in those of its block
  UninitializedVector<u32> words_;
};

}  // namespace pgokit::generate
