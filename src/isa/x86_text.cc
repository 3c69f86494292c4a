// The text of x86-64 instructions by Zydis. For AT&T syntax the mnemonics get the suffixes of
// operand sizes as LLVM prints them (Zydis leaves them out where a register tells the size).

#include <Zydis/Zydis.h>

#include <array>

#include "isa/machines.h"

namespace pgokit::isa {
namespace {

// Mnemonics that end in the size of their operands.
constexpr ZydisMnemonic sized[] = {
    ZYDIS_MNEMONIC_ADC,     ZYDIS_MNEMONIC_ADCX,   ZYDIS_MNEMONIC_ADD,     ZYDIS_MNEMONIC_ADOX,
    ZYDIS_MNEMONIC_AND,     ZYDIS_MNEMONIC_ANDN,   ZYDIS_MNEMONIC_BEXTR,   ZYDIS_MNEMONIC_BLSI,
    ZYDIS_MNEMONIC_BLSMSK,  ZYDIS_MNEMONIC_BLSR,   ZYDIS_MNEMONIC_BSF,     ZYDIS_MNEMONIC_BSR,
    ZYDIS_MNEMONIC_BSWAP,   ZYDIS_MNEMONIC_BT,     ZYDIS_MNEMONIC_BTC,     ZYDIS_MNEMONIC_BTR,
    ZYDIS_MNEMONIC_BTS,     ZYDIS_MNEMONIC_BZHI,   ZYDIS_MNEMONIC_CMP,     ZYDIS_MNEMONIC_CMPXCHG,
    ZYDIS_MNEMONIC_CRC32,   ZYDIS_MNEMONIC_DEC,    ZYDIS_MNEMONIC_DIV,     ZYDIS_MNEMONIC_IDIV,
    ZYDIS_MNEMONIC_IMUL,    ZYDIS_MNEMONIC_INC,    ZYDIS_MNEMONIC_LEA,     ZYDIS_MNEMONIC_LZCNT,
    ZYDIS_MNEMONIC_MOV,     ZYDIS_MNEMONIC_MOVBE,  ZYDIS_MNEMONIC_MUL,     ZYDIS_MNEMONIC_MULX,
    ZYDIS_MNEMONIC_NEG,     ZYDIS_MNEMONIC_NOT,    ZYDIS_MNEMONIC_OR,      ZYDIS_MNEMONIC_PDEP,
    ZYDIS_MNEMONIC_PEXT,    ZYDIS_MNEMONIC_POP,    ZYDIS_MNEMONIC_POPCNT,  ZYDIS_MNEMONIC_PUSH,
    ZYDIS_MNEMONIC_RCL,     ZYDIS_MNEMONIC_RCR,    ZYDIS_MNEMONIC_RET,     ZYDIS_MNEMONIC_ROL,
    ZYDIS_MNEMONIC_ROR,     ZYDIS_MNEMONIC_RORX,   ZYDIS_MNEMONIC_SAR,     ZYDIS_MNEMONIC_SARX,
    ZYDIS_MNEMONIC_SBB,     ZYDIS_MNEMONIC_SHL,    ZYDIS_MNEMONIC_SHLD,    ZYDIS_MNEMONIC_SHLX,
    ZYDIS_MNEMONIC_SHR,     ZYDIS_MNEMONIC_SHRD,   ZYDIS_MNEMONIC_SHRX,    ZYDIS_MNEMONIC_SUB,
    ZYDIS_MNEMONIC_TEST,    ZYDIS_MNEMONIC_TZCNT,  ZYDIS_MNEMONIC_XADD,    ZYDIS_MNEMONIC_XCHG,
    ZYDIS_MNEMONIC_XOR,     ZYDIS_MNEMONIC_CMOVB,  ZYDIS_MNEMONIC_CMOVBE,  ZYDIS_MNEMONIC_CMOVL,
    ZYDIS_MNEMONIC_CMOVLE,  ZYDIS_MNEMONIC_CMOVNB, ZYDIS_MNEMONIC_CMOVNBE, ZYDIS_MNEMONIC_CMOVNL,
    ZYDIS_MNEMONIC_CMOVNLE, ZYDIS_MNEMONIC_CMOVNO, ZYDIS_MNEMONIC_CMOVNP,  ZYDIS_MNEMONIC_CMOVNS,
    ZYDIS_MNEMONIC_CMOVNZ,  ZYDIS_MNEMONIC_CMOVO,  ZYDIS_MNEMONIC_CMOVP,   ZYDIS_MNEMONIC_CMOVS,
    ZYDIS_MNEMONIC_CMOVZ,
};

// Where AT&T syntax has a word of its own, or LLVM another one of several.
struct Renamed {
  ZydisMnemonic mnemonic;
  const char* name;
};
constexpr Renamed renamed[] = {
    {ZYDIS_MNEMONIC_CBW, "cbtw"},      {ZYDIS_MNEMONIC_CWDE, "cwtl"},
    {ZYDIS_MNEMONIC_CDQE, "cltq"},     {ZYDIS_MNEMONIC_CWD, "cwtd"},
    {ZYDIS_MNEMONIC_CDQ, "cltd"},      {ZYDIS_MNEMONIC_CQO, "cqto"},
    {ZYDIS_MNEMONIC_STOSD, "stosl"},   {ZYDIS_MNEMONIC_LODSD, "lodsl"},
    {ZYDIS_MNEMONIC_SCASD, "scasl"},   {ZYDIS_MNEMONIC_INSD, "insl"},
    {ZYDIS_MNEMONIC_OUTSD, "outsl"},   {ZYDIS_MNEMONIC_MOVSXD, "movslq"},
    {ZYDIS_MNEMONIC_JB, "jb"},         {ZYDIS_MNEMONIC_JNB, "jae"},
    {ZYDIS_MNEMONIC_JZ, "je"},         {ZYDIS_MNEMONIC_JNZ, "jne"},
    {ZYDIS_MNEMONIC_JNBE, "ja"},       {ZYDIS_MNEMONIC_JNL, "jge"},
    {ZYDIS_MNEMONIC_JNLE, "jg"},       {ZYDIS_MNEMONIC_SETNB, "setae"},
    {ZYDIS_MNEMONIC_SETZ, "sete"},     {ZYDIS_MNEMONIC_SETNZ, "setne"},
    {ZYDIS_MNEMONIC_SETNBE, "seta"},   {ZYDIS_MNEMONIC_SETNL, "setge"},
    {ZYDIS_MNEMONIC_SETNLE, "setg"},   {ZYDIS_MNEMONIC_CMOVNB, "cmovae"},
    {ZYDIS_MNEMONIC_CMOVZ, "cmove"},   {ZYDIS_MNEMONIC_CMOVNZ, "cmovne"},
    {ZYDIS_MNEMONIC_CMOVNBE, "cmova"}, {ZYDIS_MNEMONIC_CMOVNL, "cmovge"},
    {ZYDIS_MNEMONIC_CMOVNLE, "cmovg"},
};

struct Mnemonics {
  std::array<const char*, ZYDIS_MNEMONIC_MAX_VALUE + 1> names{};
  std::array<bool, ZYDIS_MNEMONIC_MAX_VALUE + 1> is_sized{};

  Mnemonics() {
    for (size_t i = 0; i < names.size(); ++i)
      names[i] = ZydisMnemonicGetString(static_cast<ZydisMnemonic>(i));
    for (const auto& one : renamed) names[one.mnemonic] = one.name;
    for (auto one : sized) is_sized[one] = true;
  }
};

struct Decoded {
  ZydisDecodedInstruction in;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

  bool has_memory() const {
    for (unsigned i = 0; i < in.operand_count_visible; ++i)
      if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) return true;
    return false;
  }
};

char suffix_of(unsigned bits) {
  return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
}

// "eq" of the comparison "cmpeqsd"; null where the instruction is none that has such a name.
const char* comparison_of(const Decoded& one) {
  constexpr const char* names[] = {"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord"};
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_CMPPS:
    case ZYDIS_MNEMONIC_CMPPD:
    case ZYDIS_MNEMONIC_CMPSS:
      break;
    case ZYDIS_MNEMONIC_CMPSD:
      if (one.in.raw.imm[0].size == 0) return nullptr;  // the string instruction
      break;
    default:
      return nullptr;
  }
  u64 kind = one.in.raw.imm[0].value.u;
  return kind < std::size(names) ? names[kind] : nullptr;
}

std::string att_mnemonic(const Decoded& one, const Printed& printed) {
  static const Mnemonics mnemonics;
  const auto& in = one.in;
  std::string name = mnemonics.names[in.mnemonic];
  Flow flow = printed.instruction.flow;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
      name.back() = suffix_of(one.operands[1].size);
      return name + suffix_of(one.operands[0].size);
    case ZYDIS_MNEMONIC_CALL:
    case ZYDIS_MNEMONIC_JMP:
      return flow == Flow::jump ? name : name + 'q';
    case ZYDIS_MNEMONIC_MOV:
      if (one.operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && one.operands[1].size == 64 &&
          in.length >= 10)
        return "movabsq";
      break;
    case ZYDIS_MNEMONIC_NOP:
      return in.operand_count_visible ? name + suffix_of(in.operand_width) : name;
    case ZYDIS_MNEMONIC_CVTSI2SD:
    case ZYDIS_MNEMONIC_CVTSI2SS:
      return one.has_memory() ? name + suffix_of(one.operands[1].size) : name;
    default:
      if (const char* comparison = comparison_of(one)) return name.insert(3, comparison);
      break;
  }
  if (mnemonics.is_sized[in.mnemonic]) name += suffix_of(in.operand_width);
  return name;
}

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
    Decoded one;
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
  // LLVM leaves out the register of long nops, and gives a sign only to immediates that are
  // extended.
  static void fit_to_peer(Decoded& one) {
    if (one.in.mnemonic == ZYDIS_MNEMONIC_NOP && one.in.operand_count_visible == 2)
      one.in.operand_count_visible = 1;
    unsigned width = one.in.operand_width;
    if ((width != 16 && width != 32) || one.in.raw.imm[0].size != width) return;
    for (auto& operand : one.operands)
      if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) operand.imm.is_signed = ZYAN_FALSE;
  }
  static bool is_indirect(Flow flow) {
    return flow == Flow::indirect_call || flow == Flow::indirect_jump;
  }
  static bool has_prefix(const Decoded& one, u8 prefix) {
    for (unsigned i = 0; i < one.in.raw.prefix_count; ++i)
      if (one.in.raw.prefixes[i].value == prefix) return true;
    return false;
  }
  static bool is_prefix(u8 byte) { return byte == 0xf0 || byte == 0xf2 || byte == 0xf3; }

  static std::optional<u64> reference_of(const Decoded& one, u64 address) {
    for (unsigned i = 0; i < one.in.operand_count_visible; ++i) {
      const auto& operand = one.operands[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.base != ZYDIS_REGISTER_RIP)
        continue;
      return address + one.in.length + static_cast<u64>(operand.mem.disp.value);
    }
    return std::nullopt;
  }

  // Zydis gives "rep stosd ..." with one blank between all parts.
  void add_parts(std::string_view printed, const Decoded& one, const Printed& result,
                 std::string& text) const {
    const char* name = ZydisMnemonicGetString(one.in.mnemonic);
    size_t at = printed.find(name);
    if (at == std::string_view::npos) at = 0;
    for (size_t from = 0; from < at;) {
      size_t blank = std::min(printed.find(' ', from), at);
      text.append(printed.substr(from, blank - from)).append(syntax_ == Syntax::att ? "\t\t" : " ");
      from = blank + 1;
    }
    size_t blank = std::min(printed.find(' ', at), printed.size());
    if (syntax_ == Syntax::att)
      text += att_mnemonic(one, result);
    else
      text += printed.substr(at, blank - at);
    if (blank == printed.size()) return;
    std::string_view operands = printed.substr(blank + 1);
    // A shift by one that has no byte for it.
    bool by_one = one.in.raw.imm[0].size == 0 && operands.starts_with("$1, ");
    if (syntax_ == Syntax::att && by_one) operands.remove_prefix(4);
    text += '\t';
    if (syntax_ == Syntax::intel) {
      text += operands;
      return;
    }
    if (is_indirect(result.instruction.flow)) text += '*';
    if (one.in.mnemonic == ZYDIS_MNEMONIC_NOP && has_prefix(one, 0x2e)) text += "%cs:";
    if (comparison_of(one)) operands.remove_prefix(std::min(operands.size(), size_t{4}));
    // A scale of one is not written.
    size_t scale = operands.find(",1)");
    if (scale == std::string_view::npos)
      text += operands;
    else
      text.append(operands.substr(0, scale)).append(operands.substr(scale + 2));
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
