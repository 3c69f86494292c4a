#pragma once

// Decompression of ELF sections. The claimed size bounds nothing: output grows with what the
// stream really holds and stops at the claim.

#include <string>

#include "base/result.h"
#include "base/types.h"

namespace pgokit::object {

// SHF_COMPRESSED: an Elf64_Chdr, then a zlib or zstd stream.
Result<std::string> inflate_section(Bytes contents);
// .zdebug_*: "ZLIB", the size as a big-endian u64, then a zlib stream.
Result<std::string> inflate_zdebug(Bytes contents);

}  // namespace pgokit::object
