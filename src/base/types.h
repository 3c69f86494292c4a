#pragma once

// The integer names of format code, and addresses that cannot be mixed up.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pgokit {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

using Bytes = std::span<const u8>;

// Where an instruction was when the program ran, in the address space of one process.
struct RuntimeAddr {
  u64 value = 0;
  auto operator<=>(const RuntimeAddr&) const = default;
};

// Where the linker put it: what symbols, debug information and probes speak of.
struct BinaryAddr {
  u64 value = 0;
  auto operator<=>(const BinaryAddr&) const = default;
};

// Where its byte is in the program's file.
struct FileOffset {
  u64 value = 0;
  auto operator<=>(const FileOffset&) const = default;
};

}  // namespace pgokit
