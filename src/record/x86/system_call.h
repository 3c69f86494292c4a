#pragma once

// Code and registers for a system call that a thread is to make (software/inject.h).

#include <array>
#include <vector>

#include "base/types.h"
#include "record/system/target_memory.h"
#include "record/x86/assembler.h"
#include "record/x86/registers.h"

namespace pgokit::record {

struct SystemCall {
  long number;
  std::array<u64, 6> arguments = {};
};

// Of the instruction.
inline constexpr u64 call_length = 2;
// Bytes of code at a call site.
inline constexpr size_t call_site_size = 128;

// Gives the registers that system calls use or change their values back, and jumps to where the thread
// was.
void emit_return_to(Assembler& out, const Registers& saved);
// Makes the call, gives all registers that it uses or changes their values back, and jumps to where
// the thread was.
std::vector<u8> call_code(u64 site, const Registers& saved);
// Those to go to that code with.
Registers registers_for_call(const Registers& saved, u64 site, const SystemCall& call);
// Those that copies make themselves: a byte for each number, 1 for them.
std::vector<u8> calls_made_in_copies(bool whole_run);
// A thread at the instruction of a system call that may change what code there is, and where.
struct MappingCall {
  bool is_one = false;
  bool maps_code = false;  // or puts a mapping in the place of others
  bool protects = false;
  u64 address = 0, size = 0;  // what is changed
};
MappingCall mapping_call(const Registers& regs);
bool executes_program(const Registers& regs);
// Of a thread stopped in the call that has made a thread or a process; those of clone3() are in
// `memory`. fork() has none.
u64 clone_flags(const Registers& regs, TargetMemory* memory);
// It may restrict the process, or change what the copies rely on.
bool sets_rules(const Registers& regs);
inline bool is_instruction_of_call(Bytes code) {
  return code.size() >= 2 && code[0] == 0x0f && code[1] == 0x05;
}
inline bool pops_flags(Bytes code) { return !code.empty() && code[0] == 0x9d; }
// Does what popf does, if that is the next instruction: were it stepped over and a signal came, the
// kernel would take the recorder's trap flag for the program's.
bool pop_flags(Bytes code, Registers& regs, TargetMemory& memory);
// Of a thread at the exit of the call: what the kernel gives.
inline u64 result_of_call(const Registers& regs) { return regs.rax; }
// The same, and the kernel makes no system call again.
Registers outside_of_calls(Registers regs);

}  // namespace pgokit::record
