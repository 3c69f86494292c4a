#include "isa/decoder.h"

#include <elf.h>

#include "isa/machines.h"

namespace pgokit::isa {

Result<Decoder> Decoder::for_machine(u16 e_machine, LockPrefix lock, Extensions extensions) {
  if (e_machine == EM_X86_64) return Decoder(decode_x86, lock, 15, 1);
  if (e_machine == EM_386) return Decoder(decode_i386, lock, 15, 1);
  if (e_machine == EM_AARCH64)
    return Decoder(extensions == Extensions::all ? decode_aarch64 : decode_aarch64_base, lock, 4,
                   4);
  if (e_machine == EM_RISCV) return Decoder(decode_riscv, lock, 4, 2);
  return fail("machine code of ELF machine {} cannot be read: only x86, AArch64 and RISC-V can",
              e_machine);
}

}  // namespace pgokit::isa
