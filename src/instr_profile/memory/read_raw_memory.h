#pragma once

// What the run time of -fmemory-profile writes: memprof.profraw. Addresses in it mean something
// only together with the program (memory_program.h).
//
//   RawMemory raw = TRY(read_raw_memory(file.bytes()));
//
//   u64  magic 0x81 'rforpm' 0xff          a file has one dump or several
//   u64  version: 3 (LLVM 13 to 18), 4 (19, 20), 5
//   u64  size of the dump
//   u64  offset of segments, blocks and stacks in the dump, each a u64 number of
//        segments: u64 start, end, offset, size of the build id, 32 bytes for that
//        blocks: u64 number of the stack, the fields of memory_fields.h (25 of them in version 3),
//                the values of the histogram, u64 each, from version 5 on u16
//        stacks: u64 number, u64 number of addresses, these
//
// A value of 16 bits is twelve bits and, above them, the power of two that they are multiplied by.
// Source of truth: llvm/ProfileData/MemProfData.inc.

#include <array>
#include <string_view>
#include <vector>

#include "base/cursor.h"
#include "base/result.h"
#include "instr_profile/memory/memory_fields.h"

namespace pgokit::instr_profile {

struct RawMemory {
  struct Segment {
    u64 start = 0, end = 0, offset = 0;
    std::string_view build_id = {};
    bool operator==(const Segment&) const = default;
  };
  struct Block {
    u64 stack = 0;
    std::array<u64, memory_fields> fields{};
    std::vector<u64> histogram = {};
  };
  struct Stack {
    u64 number = 0;
    std::span<const Le<u64>> places;  // innermost first
  };

  u64 version = 0;  // of the last dump
  std::vector<Segment> segments;
  std::vector<Block> blocks;  // those of one stack are one
  std::vector<Stack> stacks;  // in the order in which LLVM comes upon them
};

bool is_raw_memory(Bytes bytes);
Result<RawMemory> read_raw_memory(Bytes bytes);

}  // namespace pgokit::instr_profile
