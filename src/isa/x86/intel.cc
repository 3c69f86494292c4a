#include "isa/x86/intel.h"

#include "isa/x86/names.h"

namespace pgokit::isa {
namespace {

// Far calls and jumps with a prefix for the size have a letter in front.
std::string far_name(const DecodedX86& one, std::string_view name) {
  unsigned width = one.in.operand_width;
  if (one.in.mnemonic == ZYDIS_MNEMONIC_RET) return width == 64 ? "retfq" : "retf";
  bool has_letter = one.in.mnemonic == ZYDIS_MNEMONIC_CALL || one.in.mnemonic == ZYDIS_MNEMONIC_JMP;
  bool is_direct = one.operands[0].type == ZYDIS_OPERAND_TYPE_POINTER;  // of i386
  return std::string(has_letter && (width != 32 || is_direct) ? "l" : "").append(name);
}

// Instructions whose operand in memory has no size.
bool is_opaque(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_LGDT:
    case ZYDIS_MNEMONIC_LIDT:
    case ZYDIS_MNEMONIC_LSS:
    case ZYDIS_MNEMONIC_LFS:
    case ZYDIS_MNEMONIC_LGS:
    case ZYDIS_MNEMONIC_LDS:
    case ZYDIS_MNEMONIC_LES:
    case ZYDIS_MNEMONIC_AESENC256KL:
    case ZYDIS_MNEMONIC_AESDEC256KL:
    case ZYDIS_MNEMONIC_AESENCWIDE256KL:
    case ZYDIS_MNEMONIC_AESDECWIDE256KL:
      return true;
    default:
      return false;
  }
}

std::string_view size_word(unsigned bits) {
  switch (bits) {
    case 8:
      return "byte ptr ";
    case 16:
      return "word ptr ";
    case 32:
      return "dword ptr ";
    case 64:
      return "qword ptr ";
    case 80:
      return "tbyte ptr ";
    case 128:
      return "xmmword ptr ";
    case 256:
      return "ymmword ptr ";
    case 512:
      return "zmmword ptr ";
    default:
      return {};
  }
}

}  // namespace

std::string_view intel_size(const DecodedX86& one, const ZydisDecodedOperand& operand) {
  if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN || is_opaque(one.in.mnemonic) || one.is_far())
    return {};
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
      return size_word(8);
    case ZYDIS_MNEMONIC_CLRSSBSY:
    case ZYDIS_MNEMONIC_RSTORSSP:
      return size_word(32);
    case ZYDIS_MNEMONIC_BOUND:  // two of them
      return size_word(operand.size / 2u);
    default:
      return size_word(operand.size);
  }
}

std::string intel_mnemonic(const DecodedX86& one) {
  constexpr Renamed renamed[] = {
      {ZYDIS_MNEMONIC_PUSHAD, "pushal"},
      {ZYDIS_MNEMONIC_POPAD, "popal"},
      {ZYDIS_MNEMONIC_PUSHA, "pushaw"},
      {ZYDIS_MNEMONIC_POPA, "popaw"},
  };
  static const Names names = llvm_names(renamed);
  std::string_view name = names[one.in.mnemonic];
  if (auto comparison = comparison_of(one); !comparison.empty())
    return name_with_comparison(name, comparison);
  if (one.is_far()) return far_name(one, name);
  switch (one.in.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
      return one.is_move_of_64_bits() ? "movabs" : "mov";
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_LGDT:
    case ZYDIS_MNEMONIC_LIDT:
      if (one.is_64_bit()) return std::string(name);
      return std::string(name).append(one.is_of_16_bits() ? "w" : "d");
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
      return std::string(name).append(one.in.operand_width == 64 ? "q" : "");
    default:
      return std::string(name);
  }
}

}  // namespace pgokit::isa
