// The text of AArch64 instructions by Capstone. Version 4, which Debian 12 has, ends with Armv8.2
// and some of 8.3; what it does not know is printed as a word of data, as assemblers accept it.

#include "base/cursor.h"
#include "isa/capstone_engine.h"
#include "isa/machines.h"

namespace pgokit::isa {
namespace {

class AArch64Printer : public Formatter::Printer {
 public:
  bool ok() const { return engine_.ok(); }

  void append(Bytes code, u64 address, Printed& printed, std::string& text) const override {
    u32 word = Cursor(code).get<u32>();
    const cs_insn* one = engine_.decode(code, address);
    if (!one) {
      text += fmt::format(".inst\t{:#010x}", word);
      return;
    }
    text += one->mnemonic;
    std::string_view operands = one->op_str;
    if (!operands.empty()) text += '\t';
    // A target is an address, not a number.
    if (size_t hash = operands.rfind("#0x");
        printed.instruction.has_target && hash != std::string_view::npos) {
      text += operands.substr(0, hash);
      operands.remove_prefix(hash + 1);
    }
    text += operands;
    if ((word & 0x1f000000) == 0x10000000) printed.reference = relative(word, address);
  }

 private:
  // adr and adrp.
  static u64 relative(u32 word, u64 address) {
    u64 value = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
    value = (value ^ 0x100000) - 0x100000;
    return word >> 31 ? (address & ~u64{0xfff}) + (value << 12) : address + value;
  }

  CapstoneEngine engine_{CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN};
};

}  // namespace

std::unique_ptr<Formatter::Printer> aarch64_printer() {
  auto printer = std::make_unique<AArch64Printer>();
  if (!printer->ok()) return nullptr;
  return printer;
}

}  // namespace pgokit::isa
