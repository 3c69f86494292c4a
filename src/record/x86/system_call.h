#pragma once

// Code and registers for a system call that a thread is to make (software/inject.h).

#include <array>
#include <vector>

#include "base/types.h"
#include "record/x86/registers.h"

namespace pgokit::record {

struct SystemCall {
  long number;
  std::array<u64, 6> arguments = {};
};

// Bytes of code at a call site.
inline constexpr size_t call_site_size = 128;

// Makes the call, gives all registers that it uses or changes their values back, and jumps to where
// the thread was.
std::vector<u8> call_code(u64 site, const Registers& saved);
// Those to go to that code with.
Registers registers_for_call(const Registers& saved, u64 site, const SystemCall& call);
// A thread at the instruction of a system call that leaves its code and registers to the program,
// and comes back behind it.
bool comes_back(Bytes code, const Registers& regs);
// Of a thread at the exit of the call: what the kernel gives.
inline u64 result_of_call(const Registers& regs) { return regs.rax; }
// The same, and the kernel makes no system call again.
Registers outside_of_calls(Registers regs);

}  // namespace pgokit::record
