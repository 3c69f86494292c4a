#pragma once

// What LLVM's instrumentation counts in one function, as readers hand it over and writers take it.
//
//   TakeRecord add_up = [&](const Record& record) -> Status {
//     for (u64 count : record.counters) sum += count;   // of blocks or edges, in the compiler's order
//     return {};
//   };
//
// Views are valid during the call only. Counts are numbers of executions that saturate; a byte of
// the bitmap has the test vectors of decisions (-fcoverage-mcdc) that were seen.
// Source of truth: llvm/include/llvm/ProfileData/InstrProf.h and InstrProfData.inc.

#include <array>
#include <functional>
#include <span>
#include <string_view>

#include "base/compact_vector.h"
#include "base/result.h"
#include "base/types.h"

namespace pgokit::instr_profile {

enum class ValueKind : u8 { indirect_call, memop_size, vtable };
inline constexpr size_t value_kinds = 3;

// At a site at most so many values are kept in files: their number is a byte.
inline constexpr size_t most_values_per_site = 255;

// An indirect call went to the function with the hash `value`, `count` times; 0 stands for functions
// that are not in the profile. Of memory operations `value` is the size, of virtual tables the hash.
struct ValueCount {
  u64 value, count;
};

// The values of all sites of a function, kind by kind.
struct SiteValues {
  std::array<u32, value_kinds> sites{};  // of each kind
  CompactVector<u16> sizes;              // how many values each site has
  CompactVector<ValueCount> values;      // of one site after the other

  bool empty() const { return sizes.empty(); }
  // Its memory stays.
  void clear() { sites = {}, sizes.clear(), values.clear(); }
  size_t kinds() const { return (sites[0] != 0) + (sites[1] != 0) + (sites[2] != 0); }

  // visit(kind, values of one site)
  template <class Visit>
  void each_site(Visit visit) const {
    size_t site = 0;
    const ValueCount* at = values.begin();
    for (size_t kind = 0; kind < value_kinds; ++kind)
      for (u32 i = 0; i < sites[kind]; ++i, ++site) {
        visit(static_cast<ValueKind>(kind), std::span(at, sizes[site]));
        at += sizes[site];
      }
  }
};

struct Record {
  std::string_view name;  // "file.c;f" for static functions
  u64 hash = 0;           // of its control flow; names repeat with different ones
  std::span<const u64> counters = {};
  std::span<const u8> bitmap = {};
  const SiteValues* values = nullptr;  // null: no sites
};

using TakeRecord = std::function<Status(const Record&)>;

// The first counter of a function that was only marked as hot or warm, without being counted.
enum class Mark : u8 { none, hot, warm };
inline Mark mark_of(std::span<const u64> counters) {
  if (counters.empty()) return Mark::none;
  if (counters[0] == ~u64{0}) return Mark::hot;
  return counters[0] == ~u64{1} ? Mark::warm : Mark::none;
}
inline constexpr u64 largest_count = ~u64{2};

// Whether a function's hash says that it was instrumented after inlining (-fcs-profile-generate).
inline bool is_context_sensitive(u64 hash) { return hash >> 60 & 1; }

}  // namespace pgokit::instr_profile
