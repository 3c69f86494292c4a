#pragma once

// The decoders and printers of the machines, behind Decoder and Formatter.

#include "isa/decoder.h"
#include "isa/formatter.h"

namespace pgokit::isa {

Instruction decode_x86(Bytes code, u64 address, LockPrefix lock);
Instruction decode_any_x86(Bytes code, u64 address);  // by Zydis, `lock` with its instruction
Instruction decode_i386(Bytes code, u64 address, LockPrefix lock);
Instruction decode_aarch64(Bytes code, u64 address, LockPrefix lock);
// No instructions of extensions.
Instruction decode_aarch64_base(Bytes code, u64 address, LockPrefix lock);

Instruction decode_riscv(Bytes code, u64 address, LockPrefix lock);  // of 64 bits

std::unique_ptr<Formatter::Printer> x86_printer(Syntax syntax);
std::unique_ptr<Formatter::Printer> i386_printer(Syntax syntax);
std::unique_ptr<Formatter::Printer> riscv_printer();
// Null where Capstone is not installed or was built without AArch64.
std::unique_ptr<Formatter::Printer> aarch64_printer();

}  // namespace pgokit::isa
