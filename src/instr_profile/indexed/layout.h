#pragma once

// What reader and writer of indexed files agree on.

#include <string_view>

#include "base/types.h"

namespace pgokit::instr_profile {

inline constexpr std::string_view indexed_magic("\xfflprofi\x81", 8);
inline constexpr u32 newest_indexed_version = 13, oldest_indexed_version = 4;

// Offsets of header fields; each is a u64.
namespace header {
inline constexpr size_t version = 8, hash_type = 24, table = 32, memory = 40, binary_ids = 48,
                        traces = 56, vtable_names = 64;

constexpr size_t size(u32 of_version) {
  return of_version >= 12   ? 72
         : of_version >= 10 ? 64
         : of_version >= 9  ? 56
         : of_version >= 8  ? 48
                            : 40;
}
}  // namespace header

inline constexpr u32 version_with_memory = 8, version_with_binary_ids = 9, version_with_traces = 10,
                     version_with_bitmaps = 11, version_with_vtables = 12;

}  // namespace pgokit::instr_profile
