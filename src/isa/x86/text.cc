// The text of x86-64 instructions by Zydis. For AT&T syntax the mnemonics get the suffixes of
// operand sizes as LLVM prints them (Zydis leaves them out where a register tells the size).

#include <Zydis/Zydis.h>

#include "isa/machines.h"
#include "isa/x86/att.h"

namespace pgokit::isa {
namespace {

class X86Printer : public Formatter::Printer {
 public:
  explicit X86Printer(Syntax syntax) : syntax_(syntax) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    bool att = syntax == Syntax::att;
    ZydisFormatterInit(&formatter_, att ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL);
    auto set = [&](ZydisFormatterProperty property, ZyanUPointer value) {
      ZydisFormatterSetProperty(&formatter_, property, value);
    };
    set(ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    set(ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
    set(ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED);
    set(ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
    set(ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
    set(ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, att);
    if (!att) return;
    set(ZYDIS_FORMATTER_PROP_DISP_BASE, ZYDIS_NUMERIC_BASE_DEC);
    set(ZYDIS_FORMATTER_PROP_IMM_BASE, ZYDIS_NUMERIC_BASE_DEC);
  }

  void append(Bytes code, u64 address, Printed& printed, std::string& text) const override {
    if (code.size() == 1 && is_prefix(code[0])) {
      text += code[0] == 0xf0 ? "lock" : code[0] == 0xf2 ? "xacquire" : "xrelease";
      return;
    }
    DecodedX86 one;
    char buffer[256];
    bool ok = ZYAN_SUCCESS(
        ZydisDecoderDecodeFull(&decoder_, code.data(), code.size(), &one.in, one.operands));
    if (ok && syntax_ == Syntax::att) fit_to_peer(one);
    ok = ok && ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter_, &one.in, one.operands,
                                                            one.in.operand_count_visible, buffer,
                                                            sizeof buffer, address, nullptr));
    if (!ok) {
      text += "(bad)";
      return;
    }
    printed.reference = reference_of(one, address);
    add_parts(buffer, one, printed, text);
  }

 private:
  static bool is_prefix(u8 byte) { return byte == 0xf0 || byte == 0xf2 || byte == 0xf3; }

  static std::optional<u64> reference_of(const DecodedX86& one, u64 address) {
    for (unsigned i = 0; i < one.in.operand_count_visible; ++i) {
      const auto& operand = one.operands[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.base != ZYDIS_REGISTER_RIP)
        continue;
      return address + one.in.length + static_cast<u64>(operand.mem.disp.value);
    }
    return std::nullopt;
  }

  // Zydis gives "rep stosd ..." with one blank between all parts.
  void add_parts(std::string_view printed, const DecodedX86& one, const Printed& result,
                 std::string& text) const {
    const char* name = ZydisMnemonicGetString(one.in.mnemonic);
    size_t at = printed.find(name);
    if (at == std::string_view::npos) at = 0;
    for (size_t from = 0; from < at;) {
      size_t blank = std::min(printed.find(' ', from), at);
      std::string_view prefix = printed.substr(from, blank - from);
      bool att = syntax_ == Syntax::att;
      if (att && prefix == "notrack") prefix = {};
      text.append(att && prefix == "repe" ? "rep" : prefix);
      if (!prefix.empty()) text += att ? "\t\t" : " ";
      from = blank + 1;
    }
    // Zydis does not print a prefix that means nothing.
    if (syntax_ == Syntax::att && one.in.mnemonic == ZYDIS_MNEMONIC_RET && one.has_prefix(0xf3))
      text += "rep\t\t";
    if (syntax_ == Syntax::att && one.in.raw.imm[0].is_relative && one.has_prefix(0x67))
      text += "addr32\t\t";
    size_t blank = std::min(printed.find(' ', at), printed.size());
    if (syntax_ == Syntax::att)
      text += att_mnemonic(one, result);
    else
      text += printed.substr(at, blank - at);
    std::string_view operands = printed.substr(std::min(blank + 1, printed.size()));
    if (syntax_ == Syntax::intel && operands.empty()) return;
    if (syntax_ == Syntax::att)
      append_att_operands(one, result, operands, text);
    else
      text.append("\t").append(operands);
  }

  ZydisDecoder decoder_;
  ZydisFormatter formatter_;
  Syntax syntax_;
};

}  // namespace

std::unique_ptr<Formatter::Printer> x86_printer(Syntax syntax) {
  return std::make_unique<X86Printer>(syntax);
}

}  // namespace pgokit::isa
