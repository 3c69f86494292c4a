#pragma once

// Restartable sequences (rseq): pieces of code that the kernel starts again when a thread was
// interrupted in them. It tells by the program counter, so they must run where they are.
//
//   for (const auto& range : restartable_code(memory, mapping, file)) ...   // end exclusive
//
// Programs list them in a section __rseq_cs: 32 bytes each, {u32 version, u32 flags, u64 start,
// u64 length, u64 abort}. Source of truth: include/uapi/linux/rseq.h, librseq.

#include <vector>

#include "elf/file.h"
#include "record/memory_map.h"
#include "record/target_memory.h"

namespace pgokit::record {

struct CodeRange {
  u64 start = 0, end = 0;
};

// Those of the file that `mapping` maps code of, with what comes before a sequence: the store by
// which a thread announces it.
std::vector<CodeRange> restartable_code(TargetMemory& memory, const Mapping& mapping,
                                        const elf::File& file);

}  // namespace pgokit::record
