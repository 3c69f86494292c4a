#pragma once

// What is known of the allocations of a call stack: 27 numbers, of which a file has some.
//
//   for (u32 field = 1; field <= memory_fields; ++field) print(memory_field(field).name);
//
// Numbers and names are those of llvm/ProfileData/MIBEntryDef.inc.

#include <string_view>

#include "base/types.h"

namespace pgokit::instr_profile {

struct MemoryField {
  std::string_view name;
  u8 size;  // bytes in a file
};

namespace memory_field_number {
inline constexpr u32 count = 1, accesses = 2, least_accesses = 3, most_accesses = 4, size = 5,
                     least_size = 6, largest_size = 7, allocated = 8, freed = 9, lifetime = 10,
                     least_lifetime = 11, longest_lifetime = 12, allocating_cpu = 13,
                     freeing_cpu = 14, migrated = 15, overlapping = 16, same_allocating_cpu = 17,
                     same_freeing_cpu = 18, density = 20, least_density = 21, highest_density = 22,
                     lifetime_density = 23, least_lifetime_density = 24,
                     highest_lifetime_density = 25, histogram_size = 26;
}  // namespace memory_field_number

inline constexpr MemoryField memory_field_table[] = {{"AllocCount", 4},
                                                     {"TotalAccessCount", 8},
                                                     {"MinAccessCount", 8},
                                                     {"MaxAccessCount", 8},
                                                     {"TotalSize", 8},
                                                     {"MinSize", 4},
                                                     {"MaxSize", 4},
                                                     {"AllocTimestamp", 4},
                                                     {"DeallocTimestamp", 4},
                                                     {"TotalLifetime", 8},
                                                     {"MinLifetime", 4},
                                                     {"MaxLifetime", 4},
                                                     {"AllocCpuId", 4},
                                                     {"DeallocCpuId", 4},
                                                     {"NumMigratedCpu", 4},
                                                     {"NumLifetimeOverlaps", 4},
                                                     {"NumSameAllocCpu", 4},
                                                     {"NumSameDeallocCpu", 4},
                                                     {"DataTypeId", 8},
                                                     {"TotalAccessDensity", 8},
                                                     {"MinAccessDensity", 4},
                                                     {"MaxAccessDensity", 4},
                                                     {"TotalLifetimeAccessDensity", 8},
                                                     {"MinLifetimeAccessDensity", 4},
                                                     {"MaxLifetimeAccessDensity", 4},
                                                     {"AccessHistogramSize", 4},
                                                     {"AccessHistogram", 8}};

inline constexpr u32 memory_fields = std::size(memory_field_table);
constexpr const MemoryField& memory_field(u32 number) { return memory_field_table[number - 1]; }

// Sets of fields: bit n is field n.
inline constexpr u32 all_memory_fields = ((u32{1} << memory_fields) - 1) << 1;
// What clang needs to tell hot allocations from cold ones, and llvm-profdata writes.
inline constexpr u32 hot_cold_memory_fields =
    u32{1} << memory_field_number::count | u32{1} << memory_field_number::size |
    u32{1} << memory_field_number::lifetime | u32{1} << memory_field_number::lifetime_density;

}  // namespace pgokit::instr_profile
