// RISC-V of 64 bits: lengths, branches, and the printer. What has no text is no instruction: words
// of extensions beyond RV64GC, and registers of the processor (csrr).

#include "isa/machines.h"
#include "isa/riscv/text.h"
#include "isa/riscv/word.h"

namespace pgokit::isa {
namespace {

using namespace riscv;

constexpr bool is_link(u32 number) { return number == 1 || number == 5; }

Flow flow_of(u32 word) {
  switch (opcode(word)) {
    case 0x63:
      return Flow::conditional;
    case 0x6f:
      return rd(word) == 0 ? Flow::jump : Flow::call;
    case 0x67:
      if (rd(word) != 0) return Flow::indirect_call;
      return is_link(rs1(word)) && immediate(word) == 0 ? Flow::ret : Flow::indirect_jump;
    case 0x73:
      return funct3(word) == 0 || word == 0xc0001073 ? Flow::other : Flow::none;
    default:
      return Flow::none;
  }
}

class RiscvPrinter : public Formatter::Printer {
 public:
  void append(Bytes code, u64 address, Printed& printed, std::string& text) const override {
    append_text(next_word(code).word, address, text);
    (void)printed;
  }
};

}  // namespace

Instruction decode_riscv(Bytes code, u64 address, LockPrefix) {
  auto [word, length] = next_word(code);
  std::string text;
  if (length == 0 || !append_text(word, address, text)) return {.skip = 2};
  Instruction out{.length = length, .flow = flow_of(word)};
  out.has_target =
      out.flow == Flow::conditional || out.flow == Flow::jump || out.flow == Flow::call;
  if (out.has_target)
    out.target =
        address + static_cast<u64>(opcode(word) == 0x63 ? branch_offset(word) : jump_offset(word));
  return out;
}

std::unique_ptr<Formatter::Printer> riscv_printer() { return std::make_unique<RiscvPrinter>(); }

}  // namespace pgokit::isa
