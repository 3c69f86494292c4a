#include "isa/x86/att.h"

#include <algorithm>
#include <array>

#include "isa/x86/names.h"

namespace pgokit::isa {
namespace {

// Mnemonics that end in the size of their operands.
constexpr ZydisMnemonic sized[] = {
    ZYDIS_MNEMONIC_ADC,      ZYDIS_MNEMONIC_ADCX,     ZYDIS_MNEMONIC_ADD,
    ZYDIS_MNEMONIC_ADOX,     ZYDIS_MNEMONIC_AND,      ZYDIS_MNEMONIC_ANDN,
    ZYDIS_MNEMONIC_BEXTR,    ZYDIS_MNEMONIC_BLSI,     ZYDIS_MNEMONIC_BLSMSK,
    ZYDIS_MNEMONIC_BLSR,     ZYDIS_MNEMONIC_BSF,      ZYDIS_MNEMONIC_BSR,
    ZYDIS_MNEMONIC_BSWAP,    ZYDIS_MNEMONIC_BT,       ZYDIS_MNEMONIC_BTC,
    ZYDIS_MNEMONIC_BTR,      ZYDIS_MNEMONIC_BTS,      ZYDIS_MNEMONIC_BZHI,
    ZYDIS_MNEMONIC_CMP,      ZYDIS_MNEMONIC_CMPXCHG,  ZYDIS_MNEMONIC_CRC32,
    ZYDIS_MNEMONIC_DEC,      ZYDIS_MNEMONIC_DIV,      ZYDIS_MNEMONIC_IDIV,
    ZYDIS_MNEMONIC_IMUL,     ZYDIS_MNEMONIC_INC,      ZYDIS_MNEMONIC_LEA,
    ZYDIS_MNEMONIC_LZCNT,    ZYDIS_MNEMONIC_MOV,      ZYDIS_MNEMONIC_MOVBE,
    ZYDIS_MNEMONIC_MUL,      ZYDIS_MNEMONIC_MULX,     ZYDIS_MNEMONIC_NEG,
    ZYDIS_MNEMONIC_NOT,      ZYDIS_MNEMONIC_OR,       ZYDIS_MNEMONIC_PDEP,
    ZYDIS_MNEMONIC_PEXT,     ZYDIS_MNEMONIC_POP,      ZYDIS_MNEMONIC_POPCNT,
    ZYDIS_MNEMONIC_PUSH,     ZYDIS_MNEMONIC_RCL,      ZYDIS_MNEMONIC_RCR,
    ZYDIS_MNEMONIC_RET,      ZYDIS_MNEMONIC_ROL,      ZYDIS_MNEMONIC_ROR,
    ZYDIS_MNEMONIC_RORX,     ZYDIS_MNEMONIC_SAR,      ZYDIS_MNEMONIC_SARX,
    ZYDIS_MNEMONIC_SBB,      ZYDIS_MNEMONIC_SHL,      ZYDIS_MNEMONIC_SHLD,
    ZYDIS_MNEMONIC_SHLX,     ZYDIS_MNEMONIC_SHR,      ZYDIS_MNEMONIC_SHRD,
    ZYDIS_MNEMONIC_SHRX,     ZYDIS_MNEMONIC_SUB,      ZYDIS_MNEMONIC_TEST,
    ZYDIS_MNEMONIC_TZCNT,    ZYDIS_MNEMONIC_XADD,     ZYDIS_MNEMONIC_XCHG,
    ZYDIS_MNEMONIC_XOR,      ZYDIS_MNEMONIC_CMOVB,    ZYDIS_MNEMONIC_CMOVBE,
    ZYDIS_MNEMONIC_CMOVL,    ZYDIS_MNEMONIC_CMOVLE,   ZYDIS_MNEMONIC_CMOVNB,
    ZYDIS_MNEMONIC_CMOVNBE,  ZYDIS_MNEMONIC_CMOVNL,   ZYDIS_MNEMONIC_CMOVNLE,
    ZYDIS_MNEMONIC_CMOVNO,   ZYDIS_MNEMONIC_CMOVNP,   ZYDIS_MNEMONIC_CMOVNS,
    ZYDIS_MNEMONIC_CMOVNZ,   ZYDIS_MNEMONIC_CMOVO,    ZYDIS_MNEMONIC_CMOVP,
    ZYDIS_MNEMONIC_CMOVS,    ZYDIS_MNEMONIC_CMOVZ,    ZYDIS_MNEMONIC_IN,
    ZYDIS_MNEMONIC_OUT,      ZYDIS_MNEMONIC_LAR,      ZYDIS_MNEMONIC_LSL,
    ZYDIS_MNEMONIC_VMREAD,   ZYDIS_MNEMONIC_VMWRITE,  ZYDIS_MNEMONIC_UD1,
    ZYDIS_MNEMONIC_LFS,      ZYDIS_MNEMONIC_LGS,      ZYDIS_MNEMONIC_LSS,
    ZYDIS_MNEMONIC_MOVNTI,   ZYDIS_MNEMONIC_LTR,      ZYDIS_MNEMONIC_LLDT,
    ZYDIS_MNEMONIC_LMSW,     ZYDIS_MNEMONIC_SLDT,     ZYDIS_MNEMONIC_STR,
    ZYDIS_MNEMONIC_SMSW,     ZYDIS_MNEMONIC_RDRAND,   ZYDIS_MNEMONIC_RDSEED,
    ZYDIS_MNEMONIC_PTWRITE,  ZYDIS_MNEMONIC_RDFSBASE, ZYDIS_MNEMONIC_RDGSBASE,
    ZYDIS_MNEMONIC_WRFSBASE, ZYDIS_MNEMONIC_WRGSBASE, ZYDIS_MNEMONIC_BLCFILL,
    ZYDIS_MNEMONIC_BLCI,     ZYDIS_MNEMONIC_BLCIC,    ZYDIS_MNEMONIC_BLCMSK,
    ZYDIS_MNEMONIC_BLCS,     ZYDIS_MNEMONIC_BLSFILL,  ZYDIS_MNEMONIC_BLSIC,
    ZYDIS_MNEMONIC_T1MSKC,   ZYDIS_MNEMONIC_TZMSK,    ZYDIS_MNEMONIC_SGDT,
    ZYDIS_MNEMONIC_SIDT,     ZYDIS_MNEMONIC_LGDT,     ZYDIS_MNEMONIC_LIDT,
    ZYDIS_MNEMONIC_SYSRET,   ZYDIS_MNEMONIC_SYSEXIT,  ZYDIS_MNEMONIC_LDS,
    ZYDIS_MNEMONIC_LES,
};

// Where AT&T syntax has a word of its own, or LLVM another one of several.
constexpr Renamed renamed[] = {
    {ZYDIS_MNEMONIC_CBW, "cbtw"},      {ZYDIS_MNEMONIC_CWDE, "cwtl"},
    {ZYDIS_MNEMONIC_CDQE, "cltq"},     {ZYDIS_MNEMONIC_CWD, "cwtd"},
    {ZYDIS_MNEMONIC_CDQ, "cltd"},      {ZYDIS_MNEMONIC_CQO, "cqto"},
    {ZYDIS_MNEMONIC_STOSD, "stosl"},   {ZYDIS_MNEMONIC_LODSD, "lodsl"},
    {ZYDIS_MNEMONIC_SCASD, "scasl"},   {ZYDIS_MNEMONIC_INSD, "insl"},
    {ZYDIS_MNEMONIC_OUTSD, "outsl"},   {ZYDIS_MNEMONIC_MOVSXD, "movslq"},
    {ZYDIS_MNEMONIC_IRET, "iretw"},    {ZYDIS_MNEMONIC_IRETD, "iretl"},
    {ZYDIS_MNEMONIC_PUSHF, "pushfw"},  {ZYDIS_MNEMONIC_POPF, "popfw"},
    {ZYDIS_MNEMONIC_PUSHFD, "pushfl"}, {ZYDIS_MNEMONIC_POPFD, "popfl"},
    {ZYDIS_MNEMONIC_PUSHA, "pushaw"},  {ZYDIS_MNEMONIC_POPA, "popaw"},
    {ZYDIS_MNEMONIC_PUSHAD, "pushal"}, {ZYDIS_MNEMONIC_POPAD, "popal"},
};

// With a suffix where they convert an integer in memory.
constexpr ZydisMnemonic converting[] = {
    ZYDIS_MNEMONIC_CVTSI2SD,   ZYDIS_MNEMONIC_CVTSI2SS,   ZYDIS_MNEMONIC_VCVTSI2SD,
    ZYDIS_MNEMONIC_VCVTSI2SS,  ZYDIS_MNEMONIC_VCVTSI2SH,  ZYDIS_MNEMONIC_VCVTUSI2SD,
    ZYDIS_MNEMONIC_VCVTUSI2SS, ZYDIS_MNEMONIC_VCVTUSI2SH,
};

// With x, y or z where only a vector in memory tells the size.
constexpr ZydisMnemonic narrowing[] = {
    ZYDIS_MNEMONIC_VCVTPD2DQ,  ZYDIS_MNEMONIC_VCVTTPD2DQ,    ZYDIS_MNEMONIC_VCVTPD2PS,
    ZYDIS_MNEMONIC_VCVTPD2UDQ, ZYDIS_MNEMONIC_VCVTTPD2UDQ,   ZYDIS_MNEMONIC_VCVTQQ2PS,
    ZYDIS_MNEMONIC_VCVTUQQ2PS, ZYDIS_MNEMONIC_VCVTPD2PH,     ZYDIS_MNEMONIC_VCVTQQ2PH,
    ZYDIS_MNEMONIC_VCVTUQQ2PH, ZYDIS_MNEMONIC_VCVTDQ2PH,     ZYDIS_MNEMONIC_VCVTUDQ2PH,
    ZYDIS_MNEMONIC_VCVTPS2PHX, ZYDIS_MNEMONIC_VFPCLASSPD,    ZYDIS_MNEMONIC_VFPCLASSPS,
    ZYDIS_MNEMONIC_VFPCLASSPH, ZYDIS_MNEMONIC_VCVTNEPS2BF16,
};

enum class Suffix : u8 { none, width, converted, vector };

struct Mnemonics {
  Names names = llvm_names(renamed);
  std::array<Suffix, ZYDIS_MNEMONIC_MAX_VALUE + 1> suffixes{};

  Mnemonics() {
    for (auto one : sized) suffixes[one] = Suffix::width;
    for (auto one : converting) suffixes[one] = Suffix::converted;
    for (auto one : narrowing) suffixes[one] = Suffix::vector;
  }
};

char suffix_of(unsigned bits) {
  return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
}

// Of floating-point numbers in memory s, l, t; of integers s, l, ll.
std::string_view x87_suffix(const DecodedX86& one) {
  const ZydisDecodedOperand* memory = one.memory();
  if (!memory) return {};
  switch (memory->element_type) {
    case ZYDIS_ELEMENT_TYPE_FLOAT32:
      return "s";
    case ZYDIS_ELEMENT_TYPE_FLOAT64:
      return "l";
    case ZYDIS_ELEMENT_TYPE_FLOAT80:
      return "t";
    case ZYDIS_ELEMENT_TYPE_INT:
      return memory->size == 16 ? "s" : memory->size == 32 ? "l" : "ll";
    default:
      return {};
  }
}

// Where the result is not on top of the stack, AT&T syntax has the names of subtractions and
// divisions the other way round, for the sake of old assemblers.
ZydisMnemonic turned(const DecodedX86& one) {
  if (one.memory() || one.operands[0].encoding == ZYDIS_OPERAND_ENCODING_NONE)
    return one.in.mnemonic;
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_FSUB:
      return ZYDIS_MNEMONIC_FSUBR;
    case ZYDIS_MNEMONIC_FSUBR:
      return ZYDIS_MNEMONIC_FSUB;
    case ZYDIS_MNEMONIC_FSUBP:
      return ZYDIS_MNEMONIC_FSUBRP;
    case ZYDIS_MNEMONIC_FSUBRP:
      return ZYDIS_MNEMONIC_FSUBP;
    case ZYDIS_MNEMONIC_FDIV:
      return ZYDIS_MNEMONIC_FDIVR;
    case ZYDIS_MNEMONIC_FDIVR:
      return ZYDIS_MNEMONIC_FDIV;
    case ZYDIS_MNEMONIC_FDIVP:
      return ZYDIS_MNEMONIC_FDIVRP;
    case ZYDIS_MNEMONIC_FDIVRP:
      return ZYDIS_MNEMONIC_FDIVP;
    default:
      return one.in.mnemonic;
  }
}

unsigned width_of(const DecodedX86& one) {
  const ZydisDecodedOperand* memory = one.memory();
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_CRC32:
      return one.operands[1].size;
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP:
      return one.is_of_16_bits() ? 16 : one.native_width();
    case ZYDIS_MNEMONIC_RET:
      if (one.is_far()) break;
      return one.is_of_16_bits() ? 16 : one.native_width();
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
      return std::max(32u, unsigned{one.in.operand_width});
    case ZYDIS_MNEMONIC_MOV:  // one of two registers may be a segment's
      return memory ? memory->size : std::max(one.operands[0].size, one.operands[1].size);
    case ZYDIS_MNEMONIC_LLDT:
    case ZYDIS_MNEMONIC_LMSW:
    case ZYDIS_MNEMONIC_LTR:
    case ZYDIS_MNEMONIC_SLDT:
    case ZYDIS_MNEMONIC_SMSW:
    case ZYDIS_MNEMONIC_STR:
      return one.operands[0].size;
    default:
      break;
  }
  return one.in.operand_width;
}

// In 64-bit mode LLVM prints no other, whatever the prefix.
unsigned width_of_target(const DecodedX86& one) {
  return !one.is_64_bit() && one.is_of_16_bits() ? 16 : one.native_width();
}

void append_suffix(const DecodedX86& one, Suffix suffix, std::string& name) {
  const ZydisDecodedOperand* memory = one.memory();
  if (suffix == Suffix::width) {
    name += suffix_of(width_of(one));
  } else if (suffix == Suffix::converted && memory) {
    name += suffix_of(memory->size);
  } else if (suffix == Suffix::vector && memory && memory->size >= 128 &&
             one.operands[0].size != 256) {
    name += memory->size == 128 ? 'x' : memory->size == 256 ? 'y' : 'z';
  }
}

}  // namespace

std::string att_mnemonic(const DecodedX86& one, Flow flow) {
  static const Mnemonics mnemonics;
  const auto& in = one.in;
  std::string name = mnemonics.names[turned(one)];
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
      name.back() = suffix_of(one.operands[1].size);
      return name + suffix_of(one.operands[0].size);
    case ZYDIS_MNEMONIC_CALL:
    case ZYDIS_MNEMONIC_JMP:
      if (one.is_far()) return 'l' + name + suffix_of(in.operand_width);
      return flow == Flow::jump ? name : name + suffix_of(width_of_target(one));
    case ZYDIS_MNEMONIC_RET:
      if (one.is_far()) name = "lret";
      break;
    case ZYDIS_MNEMONIC_MOV:
      if (one.is_move_of_64_bits()) name = "movabs";
      break;
    case ZYDIS_MNEMONIC_NOP:
      return in.operand_count_visible ? name + suffix_of(in.operand_width) : name;
    case ZYDIS_MNEMONIC_MOVSD:
      if (one.is_string()) return "movsl";
      break;
    case ZYDIS_MNEMONIC_CMPSD:
      if (one.is_string()) return "cmpsl";
      break;
    default:
      break;
  }
  if (one.is_x87()) return name.append(x87_suffix(one));
  if (auto comparison = comparison_of(one); !comparison.empty())
    return name_with_comparison(name, comparison);
  append_suffix(one, mnemonics.suffixes[in.mnemonic], name);
  return name;
}

}  // namespace pgokit::isa
