#pragma once

// Which entries of a hash table in a file are in which bucket, and in which order: that of LLVM's
// OnDiskChainedHashTableGenerator.
//
//   ChainedTable table(hashes);            // of the entries in the order in which they came
//   for (size_t bucket = 0; bucket < table.size(); ++bucket)
//     table.each_in(bucket, [&](u32 entry) { write(entry); });

#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "instr_profile/model/profile.h"

namespace pgokit::instr_profile {

// A chained hash table as LLVM fills it: it has 64 buckets at first and doubles them when three
// quarters are full, an entry becomes the first of its bucket, and at last the number of buckets is
// made to fit. Each time buckets are filled anew their entries turn round, so that the steps are
// taken as they are there.
class ChainedTable {
 public:
  explicit ChainedTable(std::span<const u64> hashes)
      : hashes_(hashes), next_(hashes.size(), nothing) {
    first_.assign(64, nothing);
    for (u32 entry = 0; entry < hashes.size(); ++entry) {
      if (4 * (u64{entry} + 1) >= 3 * first_.size()) resize(first_.size() * 2);
      put_first(entry);
    }
    size_t n = hashes.size();
    size_t fitting = n <= 2 ? 1 : std::bit_ceil(n * 4 / 3 + 1);
    if (fitting != first_.size()) resize(fitting);
  }

  size_t size() const { return first_.size(); }
  bool is_empty(size_t bucket) const { return first_[bucket] == nothing; }
  template <class Visit>
  void each_in(size_t bucket, Visit visit) const {
    for (u32 entry = first_[bucket]; entry != nothing; entry = next_[entry]) visit(entry);
  }

 private:
  void put_first(u32 entry) {
    u32& first = first_[hashes_[entry] & (first_.size() - 1)];
    next_[entry] = std::exchange(first, entry);
  }
  void resize(size_t buckets) {
    auto old = std::exchange(first_, std::vector<u32>(buckets, nothing));
    for (u32 entry : old)
      while (entry != nothing) {
        u32 following = next_[entry];
        put_first(entry);
        entry = following;
      }
  }

  std::span<const u64> hashes_;
  std::vector<u32> first_, next_;
};

}  // namespace pgokit::instr_profile
