#pragma once

// Memory profiles as llvm-profdata show --memory prints them.
//
//   dump_memory(profile, take);          // of an indexed file
//   dump_raw_memory(raw, profile, take); // of a raw one, whose profile has names

#include "instr_profile/memory/memory_profile.h"
#include "instr_profile/memory/read_raw_memory.h"
#include "report/text_buffer.h"

namespace pgokit::cli {

// Fails where the list of accessed data is damaged.
Status dump_memory(const instr_profile::MemoryProfile& profile, const report::TakeText& take);
void dump_raw_memory(const instr_profile::RawMemory& raw,
                     const instr_profile::MemoryProfile& profile, const report::TakeText& take);

}  // namespace pgokit::cli
