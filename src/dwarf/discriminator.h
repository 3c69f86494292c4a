#pragma once

// What compilers pack into the discriminator of a source location.
//
// LLVM: usually three numbers, each prefix-coded: which of the blocks of the line (base), by how
// much the code was duplicated (unrolled, vectorized), and a copy number. In programs with pseudo
// probes the discriminator of a call holds the number of its probe instead: its low three bits are
// ones. GCC from 16 on: the base in 8 bits, then 7 bits of duplication, then 11 of the copy. GCC
// before that: one number. Source of truth: llvm/IR/DebugInfoMetadata.h, llvm/IR/PseudoProbe.h,
// gcc/input.h.

#include "base/types.h"

namespace pgokit::dwarf {

enum class Discriminators : u8 {
  llvm,
  whole,  // one number as it is: flow-sensitive AutoFDO's, GCC's up to 15
  gcc,    // from 16 on
};

u32 base_discriminator(u32 packed, Discriminators form);
// The number of the probe, in discriminators of calls in programs with probes.
u32 probe_of_discriminator(u32 packed);
// At least 1.
u32 duplication_factor(u32 packed, Discriminators form);

}  // namespace pgokit::dwarf
