#pragma once

// What both ways to find a program's functions share.
//
//   auto collector = TRY(Collector::of(program));
//   if (!collector.is_counter(address)) ...
//   collector.add(hash_of_name, hash, address, counters);
//   return std::move(collector).finish();

#include <tsl/robin_set.h>

#include "base/hash.h"
#include "instr_profile/correlate/correlate.h"

namespace pgokit::instr_profile {

Result<Bytes> section_contents(const object::File& program, std::string_view name);

class Collector {
 public:
  static Result<Collector> of(const object::File& program);

  u64 counters_begin() const { return begin_; }
  u64 counters_end() const { return end_; }
  bool is_counter(u64 address) const { return address >= begin_ && address < end_; }

  // Of functions with the same counters the first stays; false where it is not this one.
  bool add(u64 name_hash, u64 hash, u64 counters, u32 count);
  Correlation& found() { return found_; }
  // Fails where no function was added.
  Result<Correlation> finish() &&;

 private:
  u64 begin_ = 0, end_ = 0;
  Correlation found_;
  tsl::robin_set<u64, IntHash> places_;
};

}  // namespace pgokit::instr_profile
