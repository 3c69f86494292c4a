#pragma once

// The few x86-64 instructions that the stubs of translated code are made of.

#include <cassert>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "base/types.h"

namespace pgokit::record {

enum class Reg : u8 {
  rax,
  rcx,
  rdx,
  rbx,
  rsp,
  rbp,
  rsi,
  rdi,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15
};

class Assembler {
 public:
  // The first byte will lie at `address`.
  explicit Assembler(u64 address) : address_(address) {}

  u64 here() const { return address_ + code_.size(); }
  u32 offset() const { return static_cast<u32>(code_.size()); }
  std::vector<u8>& code() { return code_; }

  void bytes(std::initializer_list<u8> list) { code_.insert(code_.end(), list); }
  void bytes(Bytes list) { code_.insert(code_.end(), list.begin(), list.end()); }
  template <class T>
  void value(T number) {
    const auto* raw = reinterpret_cast<const u8*>(&number);
    code_.insert(code_.end(), raw, raw + sizeof number);
  }
  template <class T>
  void patch(u32 offset, T number) {
    std::memcpy(code_.data() + offset, &number, sizeof number);
  }

  // None of these changes the flags.
  void save(Reg reg, u32 slot) { gs_access(0x89, reg, slot, true); }  // mov gs:[slot], r64
  void load(Reg reg, u32 slot) { gs_access(0x8b, reg, slot, true); }  // mov r64, gs:[slot]
  void save32(Reg reg, u32 slot) { gs_access(0x89, reg, slot, false); }
  void load32(Reg reg, u32 slot) { gs_access(0x8b, reg, slot, false); }
  void store_imm(u32 slot, u32 number) {  // mov dword gs:[slot], imm32
    bytes({0x65, 0xc7, 0x04, 0x25}), value(slot), value(number);
  }
  void jump_gs(u32 slot) { bytes({0x65, 0xff, 0x24, 0x25}), value(slot); }  // jmp gs:[slot]
  void time_stamp(u32 slot) {  // rdtsc; breaks rax and rdx
    bytes({0x0f, 0x31}), save32(Reg::rax, slot), save32(Reg::rdx, slot + 4);
  }
  void rcx_is(u64 number) { bytes({0x48, 0xb9}), value(number); }  // movabs rcx, imm64

  // jmp [rip + x] where the 8 bytes at `slot` hold the target.
  void jump_through(u64 slot) {
    bytes({0xff, 0x25});
    value(static_cast<i32>(slot - (here() + 4)));
  }
  // mov r64, [rip + x] of what lies at `address`; rax to rdi.
  void load_through(Reg reg, u64 address) {
    bytes({0x48, 0x8b, static_cast<u8>(0x05 | static_cast<u8>(reg) << 3)});
    value(static_cast<i32>(address - (here() + 4)));
  }
  // A rel32 to be set by bind().
  u32 rel32() {
    value(u32(0));
    return offset() - 4;
  }
  // The rel32 at `fixup` leads here.
  void bind(u32 fixup) { patch(fixup, static_cast<i32>(offset() - (fixup + 4))); }
  // The rel8 that ends an instruction, which leads back to `offset_before`.
  void back8(u32 offset_before) {
    u32 distance = offset() + 1 - offset_before;
    assert(distance <= 128);
    value(static_cast<u8>(0 - distance));
  }
  void bind8(u32 fixup) {
    u32 distance = offset() - (fixup + 1);
    assert(distance < 128);
    patch(fixup, static_cast<u8>(distance));
  }

 private:
  void gs_access(u8 opcode, Reg reg, u32 slot, bool wide) {
    auto number = static_cast<u8>(reg);
    auto rex = static_cast<u8>(0x40 | (wide ? 8 : 0) | (number & 8 ? 4 : 0));
    bytes({0x65});
    if (rex != 0x40) bytes({rex});
    bytes({opcode, static_cast<u8>(0x04 | (number & 7) << 3), 0x25});
    value(slot);
  }

  u64 address_;
  std::vector<u8> code_;
};

}  // namespace pgokit::record
