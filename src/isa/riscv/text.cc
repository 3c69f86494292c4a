#include "isa/riscv/text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

namespace pgokit::isa::riscv {
namespace {

constexpr std::array<std::string_view, 32> registers = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<std::string_view, 32> float_registers = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
constexpr std::array<std::string_view, 8> roundings = {"rne", "rtz", "rdn", "rup",
                                                       "rmm", "",    "",    "dyn"};

class Writer {
 public:
  Writer(u32 word, Width width, u64 address, std::string& text)
      : word_(word), wide_(width == Width::rv64), address_(address), text_(text) {}

  bool write() {
    if (!wide_ && is_only_of_64()) return false;
    switch (opcode(word_)) {
      case 0x03:
        return load({"lb", "lh", "lw", "ld", "lbu", "lhu", "lwu", ""}, registers);
      case 0x07:
        return load({"", "", "flw", "fld", "", "", "", ""}, float_registers);
      case 0x0f:
        return fence();
      case 0x13:
        return immediate_operation();
      case 0x17:
        return put("auipc", "{}, {}", x(rd(word_)), word_ >> 12);
      case 0x1b:
        return narrow_immediate_operation();
      case 0x23:
        return store({"sb", "sh", "sw", "sd"}, registers);
      case 0x27:
        return store({"", "", "fsw", "fsd"}, float_registers);
      case 0x2f:
        return atomic();
      case 0x33:
        return operation();
      case 0x37:
        return put("lui", "{}, {}", x(rd(word_)), word_ >> 12);
      case 0x3b:
        return narrow_operation();
      case 0x43:
      case 0x47:
      case 0x4b:
      case 0x4f:
        return fused();
      case 0x53:
        return float_operation();
      case 0x63:
        return branch();
      case 0x67:
        return indirect_jump();
      case 0x6f:
        return jump();
      case 0x73:
        return system();
      default:
        return false;
    }
  }

 private:
  // Operations of 64 bits, and of 32 of them.
  bool is_only_of_64() const {
    u32 code = opcode(word_), function = funct3(word_);
    if (code == 0x03) return function == 3 || function == 6;
    if (code == 0x23 || code == 0x2f) return function == 3;
    return code == 0x1b || code == 0x3b;
  }
  u64 target_at(i64 offset) const {
    u64 target = address_ + static_cast<u64>(offset);
    return wide_ ? target : static_cast<u32>(target);
  }

  static std::string_view x(u32 number) { return registers[number]; }
  static std::string_view f(u32 number) { return float_registers[number]; }

  template <class... Args>
  bool put(std::string_view name, fmt::format_string<Args...> operands, Args&&... args) {
    if (name.empty()) return false;
    text_.append(name).append("\t");
    fmt::format_to(std::back_inserter(text_), operands, std::forward<Args>(args)...);
    return true;
  }
  bool put(std::string_view name) { return text_.append(name), true; }

  bool load(const std::array<std::string_view, 8>& names,
            const std::array<std::string_view, 32>& of) {
    return put(names[funct3(word_)], "{}, {}({})", of[rd(word_)], immediate(word_), x(rs1(word_)));
  }

  bool store(const std::array<std::string_view, 4>& names,
             const std::array<std::string_view, 32>& of) {
    if (funct3(word_) > 3) return false;
    return put(names[funct3(word_)], "{}, {}({})", of[rs2(word_)], store_offset(word_),
               x(rs1(word_)));
  }

  bool immediate_operation() {
    u32 target = rd(word_), source = rs1(word_), function = funct3(word_);
    i64 value = immediate(word_);
    if (function == 1 || function == 5) return shift(wide_ ? 6 : 5, {"slli", "srli", "srai"});
    if (function == 0 && word_ == 0x13) return put("nop");
    if (function == 0 && source == 0) return put("li", "{}, {}", x(target), value);
    if (function == 0 && value == 0) return put("mv", "{}, {}", x(target), x(source));
    if (function == 3 && value == 1) return put("seqz", "{}, {}", x(target), x(source));
    if (function == 4 && value == -1) return put("not", "{}, {}", x(target), x(source));
    if (function == 7 && value == 255) return put("zext.b", "{}, {}", x(target), x(source));
    constexpr std::string_view names[] = {"addi", "", "slti", "sltiu", "xori", "", "ori", "andi"};
    return put(names[function], "{}, {}, {}", x(target), x(source), value);
  }

  bool shift(unsigned size, const std::array<std::string_view, 3>& names) {
    u32 amount = bits(word_, 19 + size, 20), kind = word_ >> (20 + size);
    u32 arithmetic = 0x400u >> size;
    bool left = funct3(word_) == 1;
    if (kind != 0 && (left || kind != arithmetic)) return false;
    return put(names[left ? 0 : kind ? 2 : 1], "{}, {}, {}", x(rd(word_)), x(rs1(word_)), amount);
  }

  bool narrow_immediate_operation() {
    u32 function = funct3(word_);
    if (function == 1 || function == 5) return shift(5, {"slliw", "srliw", "sraiw"});
    if (function != 0) return false;
    if (immediate(word_) == 0) return put("sext.w", "{}, {}", x(rd(word_)), x(rs1(word_)));
    return put("addiw", "{}, {}, {}", x(rd(word_)), x(rs1(word_)), immediate(word_));
  }

  bool three(std::string_view name) {
    return put(name, "{}, {}, {}", x(rd(word_)), x(rs1(word_)), x(rs2(word_)));
  }

  bool operation() {
    u32 function = funct3(word_), first = rs1(word_), second = rs2(word_);
    constexpr std::string_view plain[] = {"add", "sll", "slt", "sltu", "xor", "srl", "or", "and"};
    constexpr std::string_view product[] = {"mul", "mulh", "mulhsu", "mulhu",
                                            "div", "divu", "rem",    "remu"};
    if (funct7(word_) == 1) return three(product[function]);
    if (funct7(word_) == 0x20) {
      if (function == 0 && first == 0) return put("neg", "{}, {}", x(rd(word_)), x(second));
      return three(function == 0 ? "sub" : function == 5 ? "sra" : "");
    }
    if (funct7(word_) != 0) return false;
    if (function == 2 && second == 0) return put("sltz", "{}, {}", x(rd(word_)), x(first));
    if (function == 2 && first == 0) return put("sgtz", "{}, {}", x(rd(word_)), x(second));
    if (function == 3 && first == 0) return put("snez", "{}, {}", x(rd(word_)), x(second));
    return three(plain[function]);
  }

  bool narrow_operation() {
    u32 function = funct3(word_);
    constexpr std::string_view product[] = {"mulw", "", "", "", "divw", "divuw", "remw", "remuw"};
    if (funct7(word_) == 1) return three(product[function]);
    if (funct7(word_) == 0x20 && function == 0 && rs1(word_) == 0)
      return put("negw", "{}, {}", x(rd(word_)), x(rs2(word_)));
    if (funct7(word_) == 0x20) return three(function == 0 ? "subw" : function == 5 ? "sraw" : "");
    if (funct7(word_) != 0) return false;
    return three(function == 0 ? "addw" : function == 1 ? "sllw" : function == 5 ? "srlw" : "");
  }

  bool branch() {
    u32 function = funct3(word_), first = rs1(word_), second = rs2(word_);
    u64 target = target_at(branch_offset(word_));
    auto one = [&](std::string_view name, u32 source) {
      return put(name, "{}, {:#x}", x(source), target);
    };
    constexpr std::string_view names[] = {"beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"};
    constexpr std::string_view with_zero[] = {"beqz", "bnez", "", "", "bltz", "bgez", "", ""};
    if (first == 0 && function == 5) return one("blez", second);
    if (second == 0 && !with_zero[function].empty()) return one(with_zero[function], first);
    if (first == 0 && function == 4) return one("bgtz", second);
    return put(names[function], "{}, {}, {:#x}", x(first), x(second), target);
  }

  bool jump() {
    u64 target = target_at(jump_offset(word_));
    if (rd(word_) == 0) return put("j", "{:#x}", target);
    if (rd(word_) == 1) return put("jal", "{:#x}", target);
    return put("jal", "{}, {:#x}", x(rd(word_)), target);
  }

  bool indirect_jump() {
    if (funct3(word_) != 0) return false;
    u32 target = rd(word_), source = rs1(word_);
    i64 offset = immediate(word_);
    if (word_ == 0x8067) return put("ret");
    std::string_view name = target == 0 ? "jr" : "jalr";
    if (target > 1 && offset == 0) return put(name, "{}, {}", x(target), x(source));
    if (target > 1) return put(name, "{}, {}({})", x(target), offset, x(source));
    if (offset == 0) return put(name, "{}", x(source));
    return put(name, "{}({})", offset, x(source));
  }

  static std::string fence_set(u32 set) {
    std::string text;
    for (unsigned i = 0; i < 4; ++i)
      if (set >> (3 - i) & 1) text += "iorw"[i];
    return text.empty() ? "0" : text;
  }

  bool fence() {
    if (word_ == 0x0000100f) return put("fence.i");
    if (word_ == 0x8330000f) return put("fence.tso");
    if (word_ == 0x0100000f) return put("pause");
    if (funct3(word_) != 0 || rd(word_) || rs1(word_) || bits(word_, 31, 28)) return false;
    u32 before = bits(word_, 27, 24), after = bits(word_, 23, 20);
    if (before == 15 && after == 15) return put("fence");
    return put("fence", "{}, {}", fence_set(before), fence_set(after));
  }

  bool atomic() {
    u32 function = funct3(word_), kind = bits(word_, 31, 27);
    if (function != 2 && function != 3) return false;
    std::string_view name = kind == 0    ? "amoadd"
                            : kind == 1  ? "amoswap"
                            : kind == 2  ? "lr"
                            : kind == 3  ? "sc"
                            : kind == 4  ? "amoxor"
                            : kind == 8  ? "amoor"
                            : kind == 12 ? "amoand"
                            : kind == 16 ? "amomin"
                            : kind == 20 ? "amomax"
                            : kind == 24 ? "amominu"
                            : kind == 28 ? "amomaxu"
                                         : "";
    if (name.empty() || (kind == 2 && rs2(word_))) return false;
    constexpr std::string_view orders[] = {"", ".rl", ".aq", ".aqrl"};
    std::string full =
        fmt::format("{}.{}{}", name, function == 2 ? 'w' : 'd', orders[bits(word_, 26, 25)]);
    if (kind == 2) return put(full, "{}, ({})", x(rd(word_)), x(rs1(word_)));
    return put(full, "{}, {}, ({})", x(rd(word_)), x(rs2(word_)), x(rs1(word_)));
  }

  bool system() {
    if (word_ == 0x00000073) return put("ecall");
    if (word_ == 0x00100073) return put("ebreak");
    if (word_ == 0xc0001073) return put("unimp");
    if (word_ == 0x10200073) return put("sret");
    if (word_ == 0x30200073) return put("mret");
    if (word_ == 0x10500073) return put("wfi");
    return false;
  }

  // ", rtz", but for what the register of the processor says, the usual case.
  bool add_rounding(u32 mode) {
    if (mode == 7) return true;
    text_.append(", ").append(roundings[mode]);
    return true;
  }
  // Conversions that never round are written with mode 0.
  bool add_rounding_of_exact(u32 mode) {
    if (mode != 0) text_.append(", ").append(roundings[mode]);
    return true;
  }
  bool known_rounding() const { return !roundings[funct3(word_)].empty(); }
  char precision() const { return bits(word_, 26, 25) == 0 ? 's' : 'd'; }
  bool known_precision() const { return bits(word_, 26, 25) < 2; }

  bool fused() {
    constexpr std::string_view names[] = {"fmadd", "fmsub", "fnmsub", "fnmadd"};
    if (!known_rounding() || !known_precision()) return false;
    put(fmt::format("{}.{}", names[bits(word_, 3, 2)], precision()), "{}, {}, {}, {}", f(rd(word_)),
        f(rs1(word_)), f(rs2(word_)), f(word_ >> 27));
    return add_rounding(funct3(word_));
  }

  bool float_operation() {
    if (!known_precision()) return false;
    u32 kind = funct7(word_) >> 2, mode = funct3(word_), first = rs1(word_), second = rs2(word_);
    std::string_view target = f(rd(word_)), source = f(first);
    auto name = [&](std::string_view stem) { return fmt::format("{}.{}", stem, precision()); };
    constexpr std::string_view arithmetic[] = {"fadd", "fsub", "fmul", "fdiv"};
    constexpr std::string_view signs[] = {"fsgnj", "fsgnjn", "fsgnjx"};
    constexpr std::string_view same_signs[] = {"fmv", "fneg", "fabs"};
    constexpr std::string_view comparisons[] = {"fle", "flt", "feq"};
    switch (kind) {
      case 0:
      case 1:
      case 2:
      case 3:
        if (!known_rounding()) return false;
        put(name(arithmetic[kind]), "{}, {}, {}", target, source, f(second));
        return add_rounding(mode);
      case 4:
        if (mode > 2) return false;
        if (first == second) return put(name(same_signs[mode]), "{}, {}", target, source);
        return put(name(signs[mode]), "{}, {}, {}", target, source, f(second));
      case 5:
        if (mode > 1) return false;
        return put(name(mode ? "fmax" : "fmin"), "{}, {}, {}", target, source, f(second));
      case 11:
        if (second != 0 || !known_rounding()) return false;
        put(name("fsqrt"), "{}, {}", target, source);
        return add_rounding(mode);
      case 20:
        if (mode > 2) return false;
        return put(name(comparisons[mode]), "{}, {}, {}", x(rd(word_)), source, f(second));
      default:
        return conversion(kind);
    }
  }

  bool conversion(u32 kind) {
    u32 mode = funct3(word_), first = rs1(word_), second = rs2(word_);
    constexpr std::string_view integers[] = {"w", "wu", "l", "lu"};
    bool is_double = precision() == 'd';
    if (kind == 8) {  // between the two precisions
      if (second != (is_double ? 0u : 1u) || !known_rounding()) return false;
      put(is_double ? "fcvt.d.s" : "fcvt.s.d", "{}, {}", f(rd(word_)), f(first));
      return is_double ? add_rounding_of_exact(mode) : add_rounding(mode);
    }
    if (kind == 24 || kind == 26) {
      if (second > (wide_ ? 3u : 1u) || !known_rounding()) return false;
      bool to_integer = kind == 24;
      if (to_integer)
        put(fmt::format("fcvt.{}.{}", integers[second], precision()), "{}, {}", x(rd(word_)),
            f(first));
      else
        put(fmt::format("fcvt.{}.{}", precision(), integers[second]), "{}, {}", f(rd(word_)),
            x(first));
      bool exact = !to_integer && is_double && second < 2;
      return exact ? add_rounding_of_exact(mode) : add_rounding(mode);
    }
    if (second != 0) return false;
    std::string_view size = is_double ? "d" : "w";
    bool moves = wide_ || !is_double;
    if (kind == 28 && mode == 0 && moves)
      return put(fmt::format("fmv.x.{}", size), "{}, {}", x(rd(word_)), f(first));
    if (kind == 28 && mode == 1)
      return put(fmt::format("fclass.{}", precision()), "{}, {}", x(rd(word_)), f(first));
    if (kind == 30 && mode == 0 && moves)
      return put(fmt::format("fmv.{}.x", size), "{}, {}", f(rd(word_)), x(first));
    return false;
  }

  u32 word_;
  bool wide_;  // registers of 64 bits
  u64 address_;
  std::string& text_;
};

}  // namespace

bool append_text(u32 word, Width width, u64 address, std::string& text) {
  return Writer(word, width, address, text).write();
}

}  // namespace pgokit::isa::riscv
