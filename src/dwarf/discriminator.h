#pragma once

// What compilers pack into the discriminator of a source location.
//
// Usually three numbers, each prefix-coded: which of the blocks of the line (base), by how much the
// code was duplicated (unrolled, vectorized), and a copy number. In programs with pseudo probes the
// discriminator of a call holds the number of its probe instead: its low three bits are ones.
// Source of truth: llvm/IR/DebugInfoMetadata.h, llvm/IR/PseudoProbe.h.

#include "base/types.h"

namespace pgokit::dwarf {

// `flow_sensitive`: discriminators of flow-sensitive AutoFDO, which are one number as they are.
u32 base_discriminator(u32 packed, bool flow_sensitive);
// The number of the probe, in discriminators of calls in programs with probes.
u32 probe_of_discriminator(u32 packed);
// At least 1.
u32 duplication_factor(u32 packed, bool flow_sensitive);

}  // namespace pgokit::dwarf
