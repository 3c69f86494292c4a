#pragma once

// Restartable sequences (rseq): pieces of code that the kernel starts again when a thread was
// interrupted in them. It tells by the program counter, so they must run where they are.
//
//   if (has_abort_handlers(code)) ranges = find_sequences(data, mapping);
//   if (auto range = announced_sequence(memory, tid)) ...           // of a stopped thread
//
// A sequence is described by 32 bytes, {u32 version, u32 flags, u64 start, u64 length, u64 abort},
// in a section of any name; before the code at `abort` lies a signature of 4 bytes. A thread
// announces a sequence by the description's address in an area that it has registered, in its word
// 8. Source of truth: include/uapi/linux/rseq.h, kernel/rseq.c.

#include <optional>
#include <vector>

#include "record/software/code_range.h"
#include "record/system/memory_map.h"
#include "record/system/target_memory.h"

namespace pgokit::record {

// The signature is somewhere in the code of a file: only then are there sequences.
bool has_abort_handlers(Bytes code);
// Those that `data`, aligned to 8 and as it lies in memory, describes for code of the mapping; each
// with what comes before it: the store by which a thread announces it.
std::vector<CodeRange> find_sequences(Bytes data, const Mapping& code);
// What the thread has announced last. It may be over.
std::optional<CodeRange> announced_sequence(TargetMemory& memory, pid_t tid);

}  // namespace pgokit::record
