// RISC-V of 32 and 64 bits: lengths, branches, and the printer. What has no text is no instruction:
// words of extensions beyond RV32GC and RV64GC, and registers of the processor (csrr).

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

Instruction decode(Bytes code, u64 address, Width width) {
  auto [word, length] = next_word(code, width);
  std::string text;
  if (length == 0 || !append_text(word, width, address, text)) return {.skip = 2};
  Instruction out{.length = length, .flow = flow_of(word)};
  out.has_target =
      out.flow == Flow::conditional || out.flow == Flow::jump || out.flow == Flow::call;
  if (!out.has_target) return out;
  out.target =
      address + static_cast<u64>(opcode(word) == 0x63 ? branch_offset(word) : jump_offset(word));
  if (width == Width::rv32) out.target = static_cast<u32>(out.target);
  return out;
}

class RiscvPrinter : public Formatter::Printer {
 public:
  explicit RiscvPrinter(Width width) : width_(width) {}
  void append(Bytes code, u64 address, Printed&, std::string& text) const override {
    append_text(next_word(code, width_).word, width_, address, text);
  }

 private:
  Width width_;
};

}  // namespace

Instruction decode_riscv64(Bytes code, u64 address, LockPrefix) {
  return decode(code, address, Width::rv64);
}
Instruction decode_riscv32(Bytes code, u64 address, LockPrefix) {
  return decode(code, address, Width::rv32);
}

std::unique_ptr<Formatter::Printer> riscv64_printer() {
  return std::make_unique<RiscvPrinter>(Width::rv64);
}
std::unique_ptr<Formatter::Printer> riscv32_printer() {
  return std::make_unique<RiscvPrinter>(Width::rv32);
}

}  // namespace pgokit::isa
