#include "isa/x86/att.h"

#include <array>
#include <charconv>
#include <iterator>

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
    {ZYDIS_MNEMONIC_CMOVNLE, "cmovg"}, {ZYDIS_MNEMONIC_FUCOMIP, "fucompi"},
    {ZYDIS_MNEMONIC_FCOMIP, "fcompi"},
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

char suffix_of(unsigned bits) {
  return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
}

// "eq" of the comparison "cmpeqsd"; null where the instruction is none that has such a name.
const char* comparison_of(const DecodedX86& one) {
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

bool is_indirect(Flow flow) { return flow == Flow::indirect_call || flow == Flow::indirect_jump; }
// Register and memory operands of string instructions, which Zydis takes for implied.
std::string_view string_operands(const DecodedX86& one) {
  if (one.in.meta.category != ZYDIS_CATEGORY_STRINGOP) return {};
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_STOSB:
      return "%al, %es:(%rdi)";
    case ZYDIS_MNEMONIC_STOSW:
      return "%ax, %es:(%rdi)";
    case ZYDIS_MNEMONIC_STOSD:
      return "%eax, %es:(%rdi)";
    case ZYDIS_MNEMONIC_STOSQ:
      return "%rax, %es:(%rdi)";
    case ZYDIS_MNEMONIC_LODSB:
      return "(%rsi), %al";
    case ZYDIS_MNEMONIC_LODSD:
      return "(%rsi), %eax";
    case ZYDIS_MNEMONIC_LODSQ:
      return "(%rsi), %rax";
    case ZYDIS_MNEMONIC_SCASB:
      return "%es:(%rdi), %al";
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSQ:
      return "(%rsi), %es:(%rdi)";
    case ZYDIS_MNEMONIC_CMPSB:
    case ZYDIS_MNEMONIC_CMPSW:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_CMPSQ:
      return "%es:(%rdi), (%rsi)";
    default:
      return {};
  }
}

bool is_x87(const DecodedX86& one) { return one.in.meta.category == ZYDIS_CATEGORY_X87_ALU; }

// Of floating-point numbers in memory s, l, t; of integers s, l, ll.
std::string_view x87_suffix(const DecodedX86& one) {
  for (unsigned i = 0; i < one.in.operand_count_visible; ++i) {
    const auto& operand = one.operands[i];
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
    switch (operand.element_type) {
      case ZYDIS_ELEMENT_TYPE_FLOAT32:
        return "s";
      case ZYDIS_ELEMENT_TYPE_FLOAT64:
        return "l";
      case ZYDIS_ELEMENT_TYPE_FLOAT80:
        return "t";
      case ZYDIS_ELEMENT_TYPE_INT:
        return operand.size == 16 ? "s" : operand.size == 32 ? "l" : "ll";
      default:
        return {};
    }
  }
  return {};
}

// "%st1" is "%st(1)", and the top of the stack as the second operand "%st".
void append_x87_operands(std::string_view operands, std::string& text) {
  for (size_t at = 0; at < operands.size(); ++at) {
    bool stack = operands.substr(at).starts_with("%st") && at + 3 < operands.size();
    if (!stack) {
      text += operands[at];
      continue;
    }
    char number = operands[at + 3];
    text += "%st";
    if (number != '0' || at == 0) text.append({'(', number, ')'});
    at += 3;
  }
}

// An address in place of registers is a number with a sign: "%fs:0xfffffffffffffff8" is "%fs:-8".
bool append_absolute(const DecodedX86& one, std::string_view operands, std::string& text) {
  size_t at = operands.find("0x");
  if (at == std::string_view::npos || !one.has_bare_memory()) return false;
  u64 address = 0;
  const char* end = operands.data() + operands.size();
  auto parsed = std::from_chars(operands.data() + at + 2, end, address, 16);
  text.append(operands.substr(0, at)).append(fmt::format("{}", static_cast<i64>(address)));
  text.append(parsed.ptr, end);
  return true;
}

}  // namespace

void fit_to_peer(DecodedX86& one) {
  if (one.in.mnemonic == ZYDIS_MNEMONIC_NOP && one.in.operand_count_visible == 2)
    one.in.operand_count_visible = 1;
  unsigned width = one.in.operand_width;
  if ((width != 16 && width != 32) || one.in.raw.imm[0].size != width) return;
  for (auto& operand : one.operands)
    if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand.imm.is_relative)
      operand.imm.is_signed = ZYAN_FALSE;
}

std::string att_mnemonic(const DecodedX86& one, const Printed& printed) {
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
    case ZYDIS_MNEMONIC_MOVSD:
      if (one.in.meta.category == ZYDIS_CATEGORY_STRINGOP) return "movsl";
      break;
    case ZYDIS_MNEMONIC_CMPSD:
      if (one.in.meta.category == ZYDIS_CATEGORY_STRINGOP) return "cmpsl";
      [[fallthrough]];
    default:
      if (is_x87(one)) return name.append(x87_suffix(one));
      if (const char* comparison = comparison_of(one)) return name.insert(3, comparison);
      break;
  }
  if (mnemonics.is_sized[in.mnemonic]) name += suffix_of(in.operand_width);
  return name;
}

void append_att_operands(const DecodedX86& one, const Printed& printed, std::string_view operands,
                         std::string& text) {
  if (std::string_view implied = string_operands(one); !implied.empty()) {
    text.append("\t").append(implied);
    return;
  }
  if (operands.empty()) return;
  text += '\t';
  if (is_x87(one)) return append_x87_operands(operands, text);
  // A shift by one that has no byte for it.
  bool by_one = one.in.raw.imm[0].size == 0 && operands.starts_with("$1, ");
  if (by_one || comparison_of(one)) operands.remove_prefix(std::min(operands.size(), size_t{4}));
  if (is_indirect(printed.instruction.flow)) text += '*';
  if (one.in.mnemonic == ZYDIS_MNEMONIC_NOP && one.has_prefix(0x2e)) text += "%cs:";
  if (append_absolute(one, operands, text)) return;
  // A scale of one is not written.
  size_t scale = operands.find(",1)");
  if (scale == std::string_view::npos)
    text += operands;
  else
    text.append(operands.substr(0, scale)).append(operands.substr(scale + 2));
}

}  // namespace pgokit::isa
