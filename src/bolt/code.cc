#include "bolt/code.h"

#include <algorithm>

#include "base/cursor.h"

namespace pgokit::bolt {
namespace {

i32 displacement_at(Bytes code, size_t at) { return Cursor(code.subspan(at, 4)).get<i32>(); }

// The operand of an x86-64 instruction that may belong to a jump by table.
struct Operand {
  enum Kind : u8 {
    other,
    relative_address,
    computed_address,
    table_load,
    table_jump,
    register_jump
  } kind = other;
  u64 address = 0;  // in memory
  u8 reg = 0;       // that is computed, or jumped by
};

Operand operand_of(Bytes code, u64 end) {
  size_t at = 0;
  if (at < code.size() && code[at] == 0x3e) ++at;  // notrack
  u8 rex = at < code.size() && (code[at] & 0xf0) == 0x40 ? code[at++] : u8{0};
  if (code.size() < at + 2) return {};
  u8 opcode = code[at], mode = code[at + 1];
  u8 middle = mode >> 3 & 7;
  bool wide = rex & 8;
  // lea address(%rip), register
  if (opcode == 0x8d && wide && (mode & 0xc7) == 0x05 && code.size() == at + 6)
    return {Operand::relative_address, end + static_cast<u64>(i64{displacement_at(code, at + 2)})};
  if (opcode == 0x8d && wide)
    return {.kind = Operand::computed_address, .reg = static_cast<u8>(middle | (rex & 4) << 1)};
  bool jump = opcode == 0xff && middle == 4;
  if (jump && mode >> 6 == 3)
    return {.kind = Operand::register_jump, .reg = static_cast<u8>((mode & 7) | (rex & 1) << 3)};
  // address(,index,8): no base, scale 8, 32 bits
  bool load = opcode == 0x8b && wide;
  bool indexed = (jump || load) && (mode & 0xc7) == 0x04 && code.size() == at + 7 &&
                 (code[at + 2] & 0xc7) == 0xc5;
  if (!indexed) return {};
  return {jump ? Operand::table_jump : Operand::table_load,
          static_cast<u64>(i64{displacement_at(code, at + 3)})};
}

// Of those that leave in no way of branches: system calls come back.
bool comes_back(Bytes code, bool is_x86) {
  if (is_x86) return code.size() == 2 && (code[0] == 0x0f ? code[1] != 0x0b : code[0] == 0xcd);
  return code.size() == 4 && (Cursor(code).get<u32>() & 0xffe0001f) == 0xd4000001;
}

// loop, loope, loopne, jrcxz: x86-64's branches without a long form. BOLT, which may move their
// targets out of reach, makes no blocks of a function with one.
bool is_short_only(Bytes code) {
  auto is_prefix = [](u8 byte) {
    return byte == 0x67 || byte == 0x66 || byte == 0x2e || byte == 0x3e || (byte & 0xf0) == 0x40;
  };
  auto opcode = std::ranges::find_if_not(code, is_prefix);
  return opcode != code.end() && (*opcode & 0xfc) == 0xe0;
}

class CodeReader {
 public:
  CodeReader(const Function& function, bool is_x86) : function_(function), is_x86_(is_x86) {}

  void take(Bytes code, u32 offset, const isa::Instruction& decoded) {
    u64 end = function_.address + offset + code.size();
    Instruction one{.offset = offset, .flow = decoded.flow};
    bool jumps = decoded.flow == isa::Flow::jump || decoded.flow == isa::Flow::conditional;
    one.ends = isa::is_branch(decoded.flow) || decoded.flow == isa::Flow::ret ||
               (decoded.flow == isa::Flow::other && !comes_back(code, is_x86_));
    if (decoded.has_target) {
      u64 to = decoded.target - function_.address;
      if (to < function_.size) {
        if (jumps || to) code_.targets.push_back(static_cast<u32>(to));
      } else if (jumps && to == function_.size && to < function_.room) {
        // Code that cannot be reached: BOLT puts a no-op here.
        one.flow = isa::Flow::none;
        one.ends = false;
      } else {
        one.leaves = jumps;
        code_.elsewhere.push_back(decoded.target);
      }
    }
    if (is_x86_) note_operand(operand_of(code, end));
    if (is_x86_ && is_short_only(code)) has_graph_ = false;
    code_.instructions.push_back(one);
  }

  FunctionCode finish() && {
    std::ranges::sort(code_.targets);
    auto repeated = std::ranges::unique(code_.targets);
    code_.targets.erase(repeated.begin(), repeated.end());
    // Tables that are loaded from are of use to a jump by register only.
    if (by_register_) {
      code_.tables.insert(code_.tables.end(), loads_.begin(), loads_.end());
      code_.tables.insert(code_.tables.end(), addresses_.begin(), addresses_.end());
    }
    std::ranges::sort(code_.tables);
    auto same = std::ranges::unique(code_.tables);
    code_.tables.erase(same.begin(), same.end());
    code_.readable = has_graph_;
    return std::move(code_);
  }

 private:
  void note_operand(const Operand& operand) {
    if (operand.kind == Operand::relative_address) addresses_.push_back({operand.address, true});
    if (operand.kind == Operand::table_load) loads_.push_back({operand.address, false});
    if (operand.kind == Operand::table_jump) code_.tables.push_back({operand.address, false});
    // Of an address that lea has put together, as hand-written code does, BOLT makes no table.
    by_register_ |= operand.kind == Operand::register_jump &&
                    !(before_.kind == Operand::computed_address && before_.reg == operand.reg);
    before_ = operand;
  }

  const Function& function_;
  bool is_x86_, by_register_ = false, has_graph_ = true;
  Operand before_;  // of the instruction before
  FunctionCode code_;
  std::vector<FunctionCode::Table> loads_, addresses_;
};

}  // namespace

FunctionCode read_code(const isa::Decoder& decoder, Bytes bytes, const Function& function,
                       bool is_x86) {
  CodeReader reader(function, is_x86);
  for (size_t at = 0; at < bytes.size();) {
    auto decoded = decoder.decode(bytes.subspan(at), function.address + at);
    if (!decoded.ok()) {
      auto rest = bytes.subspan(at);
      if (std::ranges::all_of(rest, [](u8 byte) { return byte == 0; })) break;  // padding
      return {};
    }
    reader.take(bytes.subspan(at, decoded.length), static_cast<u32>(at), decoded);
    at += decoded.length;
  }
  return std::move(reader).finish();
}

}  // namespace pgokit::bolt
