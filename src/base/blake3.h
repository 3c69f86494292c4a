#pragma once

// BLAKE3, a cryptographic hash: https://github.com/BLAKE3-team/BLAKE3-specs. LLVM numbers frames
// and call stacks of memory profiles by it.
//
//   u64 id = blake3_u64(bytes);      // the first eight bytes of the hash, little endian

#include <array>

#include "base/types.h"

namespace pgokit {

std::array<u8, 32> blake3(Bytes bytes);
u64 blake3_u64(Bytes bytes);

}  // namespace pgokit
