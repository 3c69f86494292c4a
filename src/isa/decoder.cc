#include "isa/decoder.h"

#include <elf.h>

#include <algorithm>

#include "isa/machines.h"

namespace pgokit::isa {

Result<Decoder> Decoder::for_machine(Machine machine, LockPrefix lock, Extensions extensions) {
  switch (machine.elf) {
    case EM_X86_64:
      return Decoder(decode_x86, lock, 15, 1);
    case EM_386:
      return Decoder(decode_i386, lock, 15, 1);
    case EM_AARCH64:
      return Decoder(extensions == Extensions::all ? decode_aarch64 : decode_aarch64_base, lock, 4,
                     4);
    case EM_ARM:
      return Decoder(decode_arm, lock, 4, 2);
    case EM_RISCV:
      return Decoder(machine.address_size == 4 ? decode_riscv32 : decode_riscv64, lock, 4, 2);
    default:
      return fail(
          "machine code of ELF machine {} cannot be read: only x86, AArch64, Arm and RISC-V can",
          machine.elf);
  }
}

// Data is passed over word by word, as it is aligned.
Instruction Decoder::decode_other(Bytes code, u64 address, Mode mode) {
  if (mode == Mode::thumb) return decode_thumb(code, address);
  u64 word = 4 - address % 4;
  return {.skip = static_cast<u8>(std::clamp<u64>(code.size(), 1, word))};
}

}  // namespace pgokit::isa
