#pragma once

// The common instructions of x86-64, which compiled code consists of nearly entirely, from tables:
// 10x faster than Zydis. What is not sure to be one of them is left to it: at most the prefixes 66,
// f2 or f3 and REX, opcodes of one byte or behind 0f, no form of them that is invalid.
//
//   if (auto one = decode_common_x86(code, address); one.ok()) return one;
//
// Source of truth: Intel SDM volume 2 appendix A; quick_test.cc compares all forms with Zydis.

#include "isa/decoder.h"

namespace pgokit::isa {

// Not ok() for every other instruction, and near the end of the code.
Instruction decode_common_x86(Bytes code, u64 address);

}  // namespace pgokit::isa
