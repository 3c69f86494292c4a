#include "isa/x86/names.h"

namespace pgokit::isa {
namespace {

constexpr Renamed of_both_syntaxes[] = {
    {ZYDIS_MNEMONIC_JNB, "jae"},
    {ZYDIS_MNEMONIC_JZ, "je"},
    {ZYDIS_MNEMONIC_JNZ, "jne"},
    {ZYDIS_MNEMONIC_JNBE, "ja"},
    {ZYDIS_MNEMONIC_JNL, "jge"},
    {ZYDIS_MNEMONIC_JNLE, "jg"},
    {ZYDIS_MNEMONIC_SETNB, "setae"},
    {ZYDIS_MNEMONIC_SETZ, "sete"},
    {ZYDIS_MNEMONIC_SETNZ, "setne"},
    {ZYDIS_MNEMONIC_SETNBE, "seta"},
    {ZYDIS_MNEMONIC_SETNL, "setge"},
    {ZYDIS_MNEMONIC_SETNLE, "setg"},
    {ZYDIS_MNEMONIC_CMOVNB, "cmovae"},
    {ZYDIS_MNEMONIC_CMOVZ, "cmove"},
    {ZYDIS_MNEMONIC_CMOVNZ, "cmovne"},
    {ZYDIS_MNEMONIC_CMOVNBE, "cmova"},
    {ZYDIS_MNEMONIC_CMOVNL, "cmovge"},
    {ZYDIS_MNEMONIC_CMOVNLE, "cmovg"},
    {ZYDIS_MNEMONIC_FUCOMIP, "fucompi"},
    {ZYDIS_MNEMONIC_FCOMIP, "fcompi"},
    {ZYDIS_MNEMONIC_FWAIT, "wait"},
    {ZYDIS_MNEMONIC_XLAT, "xlatb"},
    {ZYDIS_MNEMONIC_XSTORE, "xstorerng"},
    {ZYDIS_MNEMONIC_XCRYPT_CBC, "xcryptcbc"},
    {ZYDIS_MNEMONIC_XCRYPT_CFB, "xcryptcfb"},
    {ZYDIS_MNEMONIC_XCRYPT_CTR, "xcryptctr"},
    {ZYDIS_MNEMONIC_XCRYPT_ECB, "xcryptecb"},
    {ZYDIS_MNEMONIC_XCRYPT_OFB, "xcryptofb"},
};

// The first eight are those of SSE.
constexpr std::string_view float_comparisons[] = {
    "eq",    "lt",     "le",     "unord",    "neq",    "nlt",    "nle",    "ord",
    "eq_uq", "nge",    "ngt",    "false",    "neq_oq", "ge",     "gt",     "true",
    "eq_os", "lt_oq",  "le_oq",  "unord_s",  "neq_us", "nlt_uq", "nle_uq", "ord_s",
    "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",  "gt_oq",  "true_us"};
constexpr std::string_view integer_comparisons[] = {"eq", "lt", "le", "", "neq", "nlt", "nle", ""};
constexpr std::string_view xop_comparisons[] = {"lt", "le",  "gt",    "ge",
                                                "eq", "neq", "false", "true"};

std::span<const std::string_view> comparisons_of(const DecodedX86& one) {
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_CMPSD:
      if (one.is_string()) return {};
      [[fallthrough]];
    case ZYDIS_MNEMONIC_CMPPS:
    case ZYDIS_MNEMONIC_CMPPD:
    case ZYDIS_MNEMONIC_CMPSS:
      return std::span(float_comparisons).first(8);
    case ZYDIS_MNEMONIC_VCMPPS:
    case ZYDIS_MNEMONIC_VCMPPD:
    case ZYDIS_MNEMONIC_VCMPSS:
    case ZYDIS_MNEMONIC_VCMPSD:
    case ZYDIS_MNEMONIC_VCMPPH:
    case ZYDIS_MNEMONIC_VCMPSH:
      return float_comparisons;
    case ZYDIS_MNEMONIC_VPCMPB:
    case ZYDIS_MNEMONIC_VPCMPW:
    case ZYDIS_MNEMONIC_VPCMPD:
    case ZYDIS_MNEMONIC_VPCMPQ:
    case ZYDIS_MNEMONIC_VPCMPUB:
    case ZYDIS_MNEMONIC_VPCMPUW:
    case ZYDIS_MNEMONIC_VPCMPUD:
    case ZYDIS_MNEMONIC_VPCMPUQ:
      return integer_comparisons;
    case ZYDIS_MNEMONIC_VPCOMB:
    case ZYDIS_MNEMONIC_VPCOMW:
    case ZYDIS_MNEMONIC_VPCOMD:
    case ZYDIS_MNEMONIC_VPCOMQ:
    case ZYDIS_MNEMONIC_VPCOMUB:
    case ZYDIS_MNEMONIC_VPCOMUW:
    case ZYDIS_MNEMONIC_VPCOMUD:
    case ZYDIS_MNEMONIC_VPCOMUQ:
      return xop_comparisons;
    default:
      return {};
  }
}

// The last of its kind, but not where it stands directly before the escape to another opcode map:
// there it selects the instruction.
std::string_view repeat_prefix(const DecodedX86& one) {
  std::string_view name;
  bool is_before_opcode = false;
  for (unsigned i = 0; i < one.in.raw.prefix_count; ++i) {
    u8 value = one.in.raw.prefixes[i].value;
    bool is_rex = (value & 0xf0) == 0x40;
    if (value == 0xf2 || value == 0xf3) {
      name = value == 0xf2 ? "repne\t\t" : "rep\t\t";
      is_before_opcode = true;
    } else if (value != 0x66 && !is_rex) {
      is_before_opcode = false;
    }
  }
  bool is_escaped = one.in.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT;
  bool selects = (is_before_opcode && is_escaped) || one.in.mnemonic == ZYDIS_MNEMONIC_PAUSE;
  return selects ? std::string_view{} : name;
}

// Whether its operands tell that addresses have 32 bits.
bool shows_address_width(const DecodedX86& one) {
  if (one.is_string() || one.in.mnemonic == ZYDIS_MNEMONIC_JECXZ) return true;
  const ZydisDecodedOperand* memory = one.memory();
  if (!memory) return false;
  return memory->mem.base != ZYDIS_REGISTER_NONE || memory->mem.index != ZYDIS_REGISTER_NONE ||
         one.has_empty_index() || one.has_plain_address();
}

}  // namespace

Names llvm_names(std::span<const Renamed> of_syntax) {
  Names names;
  for (size_t i = 0; i < names.size(); ++i)
    names[i] = ZydisMnemonicGetString(static_cast<ZydisMnemonic>(i));
  for (const auto& one : of_both_syntaxes) names[one.mnemonic] = one.name;
  for (const auto& one : of_syntax) names[one.mnemonic] = one.name;
  return names;
}

std::string name_with_comparison(std::string_view name, std::string_view comparison) {
  size_t at = name.find("cmp");
  if (at == std::string_view::npos) at = name.find("com");
  return std::string(name).insert(at + 3, comparison);
}

std::string_view comparison_of(const DecodedX86& one) {
  auto comparisons = comparisons_of(one);
  u64 kind = one.in.raw.imm[0].value.u;
  return kind < comparisons.size() ? comparisons[kind] : std::string_view{};
}

void append_prefixes(const DecodedX86& one, std::string& text) {
  if (one.has_prefix(0xf0)) text += "lock\t\t";
  text += repeat_prefix(one);
  if (one.in.meta.isa_set == ZYDIS_ISA_SET_AVX_VNNI) text += "{vex}\t";
  if (one.has_prefix(0x67) && !shows_address_width(one))
    text += one.is_64_bit() ? "addr32\t\t" : "addr16\t\t";
}

}  // namespace pgokit::isa
