#pragma once

// What the addresses in a process's values stand for.
//
//   Addresses addresses(part);
//   addresses.resolve(values);                 // hashes of names in place of addresses
//
// Several records may have one address (identical code folded); which of them is found follows from
// the order of std::sort, as in llvm-profdata, whose result is compared byte for byte.

#include <utility>
#include <vector>

#include "instr_profile/raw/raw_part.h"

namespace pgokit::instr_profile {

class Addresses {
 public:
  explicit Addresses(const RawPart& part);

  // 0: of no function, or virtual table, that was counted.
  u64 function_at(u64 address) const;
  u64 vtable_at(u64 address) const;
  void resolve(SiteValues& values) const { resolve(values, 0); }
  // The same of another process, whose addresses are all higher by this.
  void resolve(SiteValues& values, u64 slide) const;

 private:
  struct Vtable {
    u64 begin, end, hash;
  };
  std::vector<std::pair<u64, u64>> functions_;
  std::vector<Vtable> vtables_;
};

}  // namespace pgokit::instr_profile
