#pragma once

// Length, control flow and direct target of machine instructions (x86-64, i386, AArch64, Arm,
// RISC-V): what unwinding branch records needs of a disassembler, and no more.
//
//   auto decoder = TRY(isa::Decoder::for_machine({elf.machine(), elf.address_size()}));
//   for (u64 at = 0; at < text.size();) {
//     isa::Instruction one = decoder.decode(text.subspan(at), address + at);
//     if (one.ok() && isa::never_falls_through(one.flow)) ...
//     at += one.step();
//   }
//
// Classes are those that LLVM's instruction descriptions give (isCall, isReturn, isBranch,
// isUnconditionalBranch), so that ranges between branch records are judged as llvm-profgen 22
// judges them; decoder_test.cc holds the cases where this is not obvious. An Arm instruction that
// runs under a condition is of the class that it is of without; loads of the program counter, of
// which those descriptions say nothing, are returns from the stack and else indirect jumps. A
// decoder is immutable: threads may share it.
//
// Sources of truth: Intel SDM volume 2 appendix A; Arm ARM C4.1; LLVM's descriptions for classes.

#include "base/result.h"
#include "base/types.h"

namespace pgokit::isa {

enum class Flow : u8 {
  none,           // goes on with the next instruction
  conditional,    // direct branch that may fall through; x86: also loop, jrcxz and xbegin
  jump,           // direct branch that is always taken
  indirect_jump,  // its targets are in a register or in memory; x86: also far jumps
  call,           // direct call
  indirect_call,  // x86: also far calls
  ret,            // x86: also far returns and iret; AArch64: also eret
  other,          // leaves in a way that no branch class covers: traps, halts, system calls
};

constexpr bool is_call(Flow flow) { return flow == Flow::call || flow == Flow::indirect_call; }
constexpr bool is_branch(Flow flow) {
  return flow == Flow::conditional || flow == Flow::jump || flow == Flow::indirect_jump;
}
// An end that a branch record's source can be.
constexpr bool ends_range(Flow flow) {
  return is_call(flow) || is_branch(flow) || flow == Flow::ret;
}
// A range may not go past it: calls, returns and direct jumps. Indirect jumps do not count, which
// is a quirk that llvm-profgen's range check has and that equal output needs.
constexpr bool never_falls_through(Flow flow) {
  return is_call(flow) || flow == Flow::ret || flow == Flow::jump;
}

struct Instruction {
  u8 length = 0;  // 0: the bytes are no instruction
  u8 skip = 1;    // then the number of bytes after which to try again
  Flow flow = Flow::none;
  bool has_target = false;
  u64 target = 0;  // of direct branches and calls: address of the target

  bool ok() const { return length != 0; }
  size_t step() const { return length ? length : skip; }
};

enum class LockPrefix : u8 {
  with_instruction,  // what the processor does
  alone,  // `lock`, `xacquire` and `xrelease` are instructions of one byte, as they are for LLVM:
          // needed where numbers of instructions have to be equal to those of llvm-profgen
};

// Which words of AArch64 code are instructions.
enum class Extensions : u8 {
  all,   // every word: what the program was compiled for is not known
  none,  // those of Armv8.0: what llvm-profgen 22 takes, see aarch64_base.h
};

// What the bytes at a place are. Only Arm has others than the usual one (program/code_modes.h).
enum class Mode : u8 {
  usual,  // instructions of the machine; those of Arm have four bytes each
  thumb,  // of Arm: two or four bytes
  data,   // no instructions: constants between functions
};

// Whose instructions: the number of ELF, and bytes of an address, by which RISC-V differs.
struct Machine {
  u16 elf;
  u8 address_size;
  Machine(u16 number, u8 bytes_of_address = 8) : elf(number), address_size(bytes_of_address) {}
};

class Decoder {
 public:
  // Fails for a machine other than EM_X86_64, EM_386, EM_AARCH64, EM_ARM and EM_RISCV.
  static Result<Decoder> for_machine(Machine machine, LockPrefix lock = LockPrefix::alone,
                                     Extensions extensions = Extensions::all);

  // The instruction at the start of `code`, which lies at `address`. Reads what it needs; an
  // instruction cut off by the end of `code` is undecodable.
  Instruction decode(Bytes code, u64 address, Mode mode = Mode::usual) const {
    if (mode == Mode::usual) [[likely]]
      return decode_(code, address, lock_);
    return decode_other(code, address, mode);
  }

  // The longest instruction of the machine in bytes, and the alignment of all of them.
  size_t longest() const { return longest_; }
  size_t alignment() const { return alignment_; }

 private:
  using Function = Instruction (*)(Bytes code, u64 address, LockPrefix lock);
  Decoder(Function function, LockPrefix lock, u8 longest, u8 alignment)
      : decode_(function), lock_(lock), longest_(longest), alignment_(alignment) {}
  static Instruction decode_other(Bytes code, u64 address, Mode mode);

  Function decode_;
  LockPrefix lock_;
  u8 longest_, alignment_;
};

}  // namespace pgokit::isa
