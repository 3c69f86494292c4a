#pragma once

// Pseudo probes in figures: how many of what, which functions have most, what is missing.
//
//   Stats stats;
//   for (Bytes section : sections) stats.add(section, address_of);
//   stats.finish(descriptors);
//   use(stats.blocks, stats.inlined_probes, stats.largest(10));
//
// Memory is 8 bytes per probe and inlined copy at most, and 40 per function.

#include <tsl/robin_map.h>

#include <vector>

#include "base/hash.h"
#include "probe/table.h"

namespace pgokit::probe {

struct FunctionSize {
  u64 guid = 0;
  u64 bytes = 0;   // of its records, inlined functions included
  u64 probes = 0;  // as well
  u64 copies = 0;  // of other functions inlined into it
};

class Stats {
 public:
  // The offset of the record that is cut off, where there is one; what comes before is counted.
  std::optional<u64> add(Bytes section, const Table::AddressOf& address_of);
  // After all sections.
  void finish(const Descriptors& descriptors);

  // Functions with code; of these, such under a symbol of another name: split off, renamed, or
  // inlined where no debug information told into what.
  u64 records = 0, parts = 0;
  u64 without_symbol = 0;  // records whose symbol is not known: removed code, or stripped
  u64 absolute = 0;        // records that carry addresses
  u64 blocks = 0, direct_calls = 0, indirect_calls = 0, others = 0;
  u64 with_discriminator = 0;
  u64 sentinels = 0;
  u64 inlined_probes = 0;      // of all: in inlined copies
  u64 copies = 0;              // inlined functions
  u64 unknown_call_sites = 0;  // ... whose call is not known
  u64 deepest = 0;             // functions inlined into one another at most

  // Of the functions that have probes: indices up to the highest, and those without any probe in
  // the file, nor an inlined call. Their blocks were optimised away.
  u64 indices = 0, dangling = 0;
  u64 without_descriptor = 0;  // functions
  u64 without_probes = 0;      // functions with a descriptor only

  u64 probes() const { return blocks + direct_calls + indirect_calls + others; }
  // By bytes, then by GUID.
  std::vector<FunctionSize> largest(size_t count) const;

 private:
  class Visitor;
  u32 id_of(u64 guid);

  tsl::robin_map<u64, u32, IntHash> ids_;  // of all functions seen
  std::vector<u64> guids_;                 // by id
  std::vector<FunctionSize> sizes_;
  tsl::robin_map<u64, u32, IntHash> size_of_;  // positions in sizes_
  std::vector<u64> seen_;                      // id and index
};

}  // namespace pgokit::probe
