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

Instruction decode_arm(Bytes code, u64 address, LockPrefix lock);
Instruction decode_thumb(Bytes code, u64 address);

Instruction decode_riscv64(Bytes code, u64 address, LockPrefix lock);
Instruction decode_riscv32(Bytes code, u64 address, LockPrefix lock);

std::unique_ptr<Formatter::Printer> x86_printer(Syntax syntax);
std::unique_ptr<Formatter::Printer> i386_printer(Syntax syntax);
std::unique_ptr<Formatter::Printer> riscv64_printer();
std::unique_ptr<Formatter::Printer> riscv32_printer();
// Null where Capstone is not installed or was built without the machine.
std::unique_ptr<Formatter::Printer> aarch64_printer();
std::unique_ptr<Formatter::Printer> arm_printer();

}  // namespace pgokit::isa
