#pragma once

// Writes a memory profile as a section of an indexed file, as llvm-profdata 22 does, byte for byte.
//
//   std::string section = write_memory(profile, {.version = 3});
//   MemorySection memory = TRY(read_memory(as_bytes(section), 0));
//
// Offsets in it are those of a section at the beginning of a file; moved() (model/memory_section.h)
// makes them fit another place. What it consists of is drawn there.

#include <string>

#include "instr_profile/memory/memory_profile.h"

namespace pgokit::instr_profile {

struct MemoryForm {
  u64 version = 3;  // 2, 3 or 4
  u32 fields = hot_cold_memory_fields;
};

// Data that was accessed is only in version 4.
std::string write_memory(const MemoryProfile& profile, MemoryForm form);

}  // namespace pgokit::instr_profile
