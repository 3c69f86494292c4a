// The text of x86-64 and i386 instructions in the words of LLVM, from what Zydis decodes.

#include <Zydis/Zydis.h>

#include "isa/machines.h"
#include "isa/x86/att.h"
#include "isa/x86/fit.h"
#include "isa/x86/intel.h"
#include "isa/x86/names.h"
#include "isa/x86/operands.h"

namespace pgokit::isa {
namespace {

class X86Printer : public Formatter::Printer {
 public:
  X86Printer(Syntax syntax, ZydisMachineMode mode, ZydisStackWidth stack) : syntax_(syntax) {
    ZydisDecoderInit(&decoder_, mode, stack);
  }

  void append(Bytes code, u64 address, Printed& printed, std::string& text) const override {
    if (code.size() == 1 && is_prefix(code[0])) {
      text += code[0] == 0xf0 ? "lock" : code[0] == 0xf2 ? "xacquire" : "xrelease";
      return;
    }
    DecodedX86 one;
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder_, code.data(), code.size(), &one.in, one.operands))) {
      text += "(bad)";
      return;
    }
    printed.reference = reference_of(one, address);
    fit_operands(one);
    append_prefixes(one, text);
    Flow flow = printed.instruction.flow;
    text += syntax_ == Syntax::att ? att_mnemonic(one, flow) : intel_mnemonic(one);
    append_operands(one, printed, syntax_, text);
  }

 private:
  static bool is_prefix(u8 byte) { return byte == 0xf0 || byte == 0xf2 || byte == 0xf3; }

  static std::optional<u64> reference_of(const DecodedX86& one, u64 address) {
    const ZydisDecodedOperand* memory = one.memory();
    if (!memory || memory->mem.base != ZYDIS_REGISTER_RIP) return std::nullopt;
    return address + one.in.length + static_cast<u64>(memory->mem.disp.value);
  }

  ZydisDecoder decoder_;
  Syntax syntax_;
};

}  // namespace

std::unique_ptr<Formatter::Printer> x86_printer(Syntax syntax) {
  return std::make_unique<X86Printer>(syntax, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

std::unique_ptr<Formatter::Printer> i386_printer(Syntax syntax) {
  return std::make_unique<X86Printer>(syntax, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32);
}

}  // namespace pgokit::isa
