#pragma once

// A memory profile (-fmemory-profile) in an indexed file, as bytes: what it says of call stacks and
// allocations is not looked at (memory/ does), and only where its parts are is changed when it moves.
//
//   auto memory = TRY(read_memory(section, offset_in_file));
//   if (!memory.is_empty) out += moved(memory.bytes, memory.begin, new_offset);
//
// Numbers are u64, offsets those in the file:
//
//   version: 2, 3 or 4
//   2: table of functions, frames, their table, call stacks, their table
//   3: call stacks, functions, table of functions
//   4: as 3, and data that was accessed, or 0
//   then what these lead to. A table is the numbers of buckets and of entries, and the offset of
//   each bucket, or 0.
//
// Source of truth: llvm/lib/ProfileData/IndexedMemProfData.cpp.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::instr_profile {

struct MemorySection {
  std::string_view bytes;
  u64 begin = 0;         // in the file
  bool is_empty = true;  // nothing is in it, as in what llvm-profdata merges
};

Result<MemorySection> read_memory(Bytes section, u64 begin);

// The bytes of a section that was read, as they are at another place in a file.
std::string moved(std::string_view section, u64 from, u64 to);

}  // namespace pgokit::instr_profile
