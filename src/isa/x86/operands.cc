#include "isa/x86/operands.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "isa/x86/intel.h"

namespace pgokit::isa {
namespace {

u64 low_bits(unsigned count) { return count < 64 ? (u64{1} << count) - 1 : ~u64{0}; }

class Writer {
 public:
  Writer(const DecodedX86& one, const Printed& printed, Syntax syntax, std::string& text)
      : one_(one), printed_(printed), att_(syntax == Syntax::att), text_(text) {}

  void write() {
    auto operands = one_.visible();
    bool as_in_intel =
        one_.in.mnemonic == ZYDIS_MNEMONIC_ENTER || one_.in.mnemonic == ZYDIS_MNEMONIC_BOUND;
    if (att_ && !as_in_intel)
      for (size_t i = operands.size(); i-- > 0;) write(operands[i], i == 0);
    else
      for (size_t i = 0; i < operands.size(); ++i) write(operands[i], i == 0);
    if (!att_) write_rounding();
  }

 private:
  auto end() { return std::back_inserter(text_); }
  void separate() { text_ += std::exchange(first_, false) ? "\t" : ", "; }

  void write(const ZydisDecodedOperand& operand, bool is_destination) {
    if (operand.encoding == ZYDIS_OPERAND_ENCODING_MASK) return;
    if (att_ != stands_after_rounding(operand, is_destination)) write_rounding();
    separate();
    switch (operand.type) {
      case ZYDIS_OPERAND_TYPE_REGISTER:
        if (is_indirect()) text_ += '*';
        write_register(operand);
        break;
      case ZYDIS_OPERAND_TYPE_MEMORY:
        if (is_indirect()) text_ += '*';
        att_ ? write_att(operand) : write_intel(operand);
        break;
      case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        write_immediate(operand);
        break;
      case ZYDIS_OPERAND_TYPE_POINTER:
        write_far_target(operand.ptr);
        break;
      default:
        break;
    }
    if (is_destination) write_mask();
  }

  // Immediates, and general registers that are converted.
  static bool stands_after_rounding(const ZydisDecodedOperand& operand, bool is_destination) {
    if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return true;
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || is_destination) return false;
    auto of = ZydisRegisterGetClass(operand.reg.value);
    return of == ZYDIS_REGCLASS_GPR32 || of == ZYDIS_REGCLASS_GPR64;
  }

  bool is_indirect() const {
    Flow flow = printed_.instruction.flow;
    return att_ && (flow == Flow::indirect_call || flow == Flow::indirect_jump);
  }

  void write_name(ZydisRegister name) {
    if (att_) text_ += '%';
    text_ += ZydisRegisterGetString(name);
  }

  void write_register(const ZydisDecodedOperand& operand) {
    ZydisRegister name = operand.reg.value;
    if (name < ZYDIS_REGISTER_ST0 || name > ZYDIS_REGISTER_ST7) return write_name(name);
    if (att_) text_ += '%';
    text_ += "st";
    if (operand.encoding != ZYDIS_OPERAND_ENCODING_NONE)
      fmt::format_to(end(), "({})", name - ZYDIS_REGISTER_ST0);
  }

  void write_immediate(const ZydisDecodedOperand& operand) {
    const auto& value = operand.imm.value;
    if (operand.imm.is_relative) {
      fmt::format_to(end(), "{:#x}", printed_.instruction.target);
      return;
    }
    if (att_) text_ += '$';
    if (operand.imm.is_signed)
      fmt::format_to(end(), "{}", value.s);
    else
      fmt::format_to(end(), "{}", value.u & low_bits(one_.in.operand_width));
  }

  // Of far calls and jumps of i386.
  void write_far_target(const ZydisDecodedOperandPtr& target) {
    i32 segment =
        one_.is_of_16_bits() ? i32{target.segment} : i32{static_cast<int16_t>(target.segment)};
    fmt::format_to(end(), "{0}{1}, {0}{2}", att_ ? "$" : "", segment, target.offset);
  }

  void write_segment(ZydisRegister segment) {
    auto attributes = one_.in.attributes;
    if (segment == ZYDIS_REGISTER_NONE) return;
    if (segment == ZYDIS_REGISTER_SS && !(attributes & ZYDIS_ATTRIB_HAS_SEGMENT_SS)) return;
    if (segment == ZYDIS_REGISTER_DS && !(attributes & ZYDIS_ATTRIB_HAS_SEGMENT_DS)) return;
    write_name(segment);
    text_ += ':';
  }

  void write_index(ZydisRegister index) {
    if (index != ZYDIS_REGISTER_NONE) return write_name(index);
    if (att_) text_ += '%';
    text_ += one_.in.address_width == 32 ? "eiz" : "riz";
  }

  void write_intel(const ZydisDecodedOperand& operand) {
    const auto& mem = operand.mem;
    text_ += intel_size(one_, operand);
    write_segment(mem.segment);
    text_ += '[';
    bool any = mem.base != ZYDIS_REGISTER_NONE;
    if (any) write_name(mem.base);
    if (has_index(mem)) {
      if (std::exchange(any, true)) text_ += " + ";
      unsigned scale = scale_of(mem);
      if (scale > 1 || mem.base == ZYDIS_REGISTER_NONE) fmt::format_to(end(), "{}*", scale);
      write_index(mem.index);
    }
    i64 distance = mem.disp.value;
    if (!any)
      fmt::format_to(end(), "{}", distance);
    else if (distance > 0)
      fmt::format_to(end(), " + {}", distance);
    else if (distance < 0)
      fmt::format_to(end(), " - {}", -static_cast<u64>(distance));
    text_ += ']';
    write_broadcast();
  }

  void write_att(const ZydisDecodedOperand& operand) {
    const auto& mem = operand.mem;
    write_segment(mem.segment);
    bool has_base = mem.base != ZYDIS_REGISTER_NONE, indexed = has_index(mem);
    if (mem.disp.value != 0 || (!has_base && !indexed)) fmt::format_to(end(), "{}", mem.disp.value);
    if (has_base || indexed) {
      text_ += '(';
      if (has_base) write_name(mem.base);
      if (indexed) {
        text_ += ',';
        write_index(mem.index);
        if (scale_of(mem) > 1) fmt::format_to(end(), ",{}", scale_of(mem));
      }
      text_ += ')';
    }
    write_broadcast();
  }

  bool has_index(const ZydisDecodedOperandMem& mem) const {
    return mem.index != ZYDIS_REGISTER_NONE || one_.has_empty_index();
  }
  unsigned scale_of(const ZydisDecodedOperandMem& mem) const {
    return mem.index != ZYDIS_REGISTER_NONE ? mem.scale : 1u << one_.in.raw.sib.scale;
  }

  void write_mask() {
    const auto& mask = one_.in.avx.mask;
    if (mask.reg == ZYDIS_REGISTER_NONE || mask.reg == ZYDIS_REGISTER_K0) return;
    text_ += " {";
    write_name(mask.reg);
    text_ += one_.in.raw.evex.z ? "} {z}" : "}";
  }

  void write_broadcast() {
    const auto& broadcast = one_.in.avx.broadcast;
    if (broadcast.is_static) return;
    switch (broadcast.mode) {
      case ZYDIS_BROADCAST_MODE_1_TO_2:
        text_ += "{1to2}";
        break;
      case ZYDIS_BROADCAST_MODE_1_TO_4:
        text_ += "{1to4}";
        break;
      case ZYDIS_BROADCAST_MODE_1_TO_8:
        text_ += "{1to8}";
        break;
      case ZYDIS_BROADCAST_MODE_1_TO_16:
        text_ += "{1to16}";
        break;
      case ZYDIS_BROADCAST_MODE_1_TO_32:
        text_ += "{1to32}";
        break;
      default:
        break;
    }
  }

  void write_rounding() {
    if (std::exchange(is_rounding_written_, true)) return;
    constexpr std::string_view names[] = {"", "{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"};
    const auto& avx = one_.in.avx;
    std::string_view name = avx.rounding.mode ? names[avx.rounding.mode]
                            : avx.has_sae     ? "{sae}"
                                              : "";
    if (name.empty()) return;
    separate();
    text_ += name;
  }

  const DecodedX86& one_;
  const Printed& printed_;
  bool att_;
  std::string& text_;
  bool first_ = true, is_rounding_written_ = false;
};

}  // namespace

void append_operands(const DecodedX86& one, const Printed& printed, Syntax syntax,
                     std::string& text) {
  Writer(one, printed, syntax, text).write();
}

}  // namespace pgokit::isa
