// The text of Arm and Thumb instructions by Capstone, with numbers as LLVM writes them: decimal, and
// targets without a sign for numbers. What Capstone does not know is printed as assemblers accept it.

#include <iterator>

#include "base/cursor.h"
#include "base/parse_number.h"
#include "isa/arm/arm.h"
#include "isa/capstone_engine.h"
#include "isa/machines.h"

namespace pgokit::isa {
namespace {

using arm::address_at;

// "#0x10" becomes "#16", and "#0xff000000" "#-16777216" or, without a sign, "#4278190080".
void append_decimal(std::string_view operands, bool with_sign, std::string& text) {
  for (size_t hash; (hash = operands.find('#')) != operands.npos;) {
    text += operands.substr(0, hash + 1);
    operands.remove_prefix(hash + 1);
    std::string_view rest = operands;
    bool negative = rest.starts_with('-');
    rest.remove_prefix(negative);
    bool hexadecimal = rest.starts_with("0x");
    rest.remove_prefix(hexadecimal ? 2 : 0);
    u32 number = 0;
    if (!take_number(rest, number, hexadecimal ? 16 : 10)) continue;
    bool fraction = rest.starts_with('.');  // of vmov
    if (fraction || (with_sign && !hexadecimal)) continue;
    operands = rest;
    if (negative) number = -number;
    if (with_sign)
      fmt::format_to(std::back_inserter(text), "{}", static_cast<i32>(number));
    else
      fmt::format_to(std::back_inserter(text), "{}", number);
  }
  text += operands;
}

// The address that a load of a constant, or an addition to the program counter, names.
std::optional<u64> arm_reference(u32 word, u64 address) {
  u64 pc = address + 8;
  bool up = word >> 23 & 1;
  auto at = [&](i64 offset) { return address_at(pc, up ? offset : -offset); };
  if ((word & 0x0f3f0000) == 0x051f0000) return at(word & 0xfff);          // ldr, ldrb
  if ((word & 0x0f3f0e00) == 0x0d1f0a00) return at(i64{word & 0xff} * 4);  // vldr
  return std::nullopt;
}

std::optional<u64> thumb_reference(u16 first, u16 second, u64 address) {
  u64 pc = (address + 4) & ~u64{3};
  bool up = first >> 7 & 1;
  auto at = [&](i64 offset) { return address_at(pc, up ? offset : -offset); };
  if ((first & 0xf800) == 0x4800 || (first & 0xf800) == 0xa000)  // ldr, adr
    return address_at(pc, (first & 0xff) * 4);
  if ((first & 0xff7f) == 0xf85f) return at(second & 0xfff);  // ldr.w
  if ((first & 0xff3f) == 0xed1f && (second & 0x0e00) == 0x0a00)
    return at(i64{second & 0xff} * 4);  // vldr
  return std::nullopt;
}

class ArmPrinter : public Formatter::Printer {
 public:
  bool ok() const { return arm_.ok() && thumb_.ok(); }

  void append(Bytes code, u64 address, Printed& printed, std::string& text) const override {
    bool thumb = printed.mode == Mode::thumb;
    Cursor in(code);
    u16 first = in.get<u16>(), second = code.size() > 2 ? in.get<u16>() : u16{0};
    u32 word = u32{second} << 16 | first;
    if (thumb && address != next_) leave_condition();
    next_ = address + code.size();
    printed.reference =
        thumb ? thumb_reference(first, second, address) : arm_reference(word, address);
    const cs_insn* one = (thumb ? thumb_ : arm_).decode(code, address);
    if (!one || one->size != code.size()) return append_unknown(code, thumb, text);
    text += one->mnemonic;
    std::string_view operands = one->op_str;
    if (!operands.empty()) text += '\t';
    if (size_t hash = operands.rfind('#');
        printed.instruction.has_target && hash != operands.npos) {
      text += operands.substr(0, hash);
      fmt::format_to(std::back_inserter(text), "{:#x}", printed.instruction.target);
      return;
    }
    bool unsigned_numbers = thumb && (first & 0xf800) == 0xf000;  // data processing
    append_decimal(operands, !unsigned_numbers, text);
  }

 private:
  static void append_unknown(Bytes code, bool thumb, std::string& text) {
    Cursor in(code);
    if (code.size() == 2) {
      fmt::format_to(std::back_inserter(text), ".inst.n\t{:#06x}", in.get<u16>());
      return;
    }
    u16 first = in.get<u16>(), second = in.get<u16>();
    u32 value = thumb ? u32{first} << 16 | second : u32{second} << 16 | first;
    fmt::format_to(std::back_inserter(text), "{}\t{:#010x}", thumb ? ".inst.w" : ".inst", value);
  }

  // Capstone goes on counting the instructions of an `it` wherever the next one is: four that do
  // nothing use it up, so that the text depends on nothing that was printed before.
  void leave_condition() const {
    constexpr u8 nothing[] = {0x00, 0xbf};
    for (int i = 0; i < 4; ++i) thumb_.decode(nothing, 0);
  }

  // Registers by number, as LLVM has them: r9, not sb.
  CapstoneEngine arm_{CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8, CS_OPT_SYNTAX_NOREGNAME};
  CapstoneEngine thumb_{CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8, CS_OPT_SYNTAX_NOREGNAME};
  mutable u64 next_ = 0;  // where the Thumb code that was printed last goes on
};

}  // namespace

std::unique_ptr<Formatter::Printer> arm_printer() {
  auto printer = std::make_unique<ArmPrinter>();
  if (!printer->ok()) return nullptr;
  return printer;
}

}  // namespace pgokit::isa
