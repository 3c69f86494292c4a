#pragma once

// Reads what a memory profile in an indexed file says (model/memory_section.h draws it, and
// write_memory.cc writes it).
//
//   MemoryProfile profile = TRY(read_indexed_memory(facts.memory));
//
// Functions are in the order of the file's table, which is not that in which they came. Frames and
// call stacks may be there twice in a file: they are one in a profile that it is added to.

#include "base/result.h"
#include "instr_profile/memory/memory_profile.h"
#include "instr_profile/model/memory_section.h"

namespace pgokit::instr_profile {

Result<MemoryProfile> read_indexed_memory(const MemorySection& section);

}  // namespace pgokit::instr_profile
