#pragma once

// Decompression of ELF sections. The claimed size bounds nothing: output grows with what the
// stream really holds and stops at the claim.

#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::object::elf {

// SHF_COMPRESSED: an Elf32_Chdr or Elf64_Chdr, then a zlib or zstd stream.
Result<std::string> inflate_section(Bytes contents, u8 address_size);
// .zdebug_*: "ZLIB", the size as a big-endian u64, then a zlib stream.
Result<std::string> inflate_zdebug(Bytes contents);

}  // namespace pgokit::object::elf
