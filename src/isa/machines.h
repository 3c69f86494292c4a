#pragma once

// The decoders of the machines, behind Decoder.

#include "isa/decoder.h"

namespace pgokit::isa {

Instruction decode_x86(Bytes code, u64 address, LockPrefix lock);
Instruction decode_aarch64(Bytes code, u64 address, LockPrefix lock);

}  // namespace pgokit::isa
