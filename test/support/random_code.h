#pragma once

// Random functions for tests of translated code: straight-line code with branches, calls and use of
// the stack, from random registers and flags.

#include <array>
#include <random>

#include "test/support/local_target.h"

namespace pgokit::record {

struct State {
  std::array<u64, 16> registers;  // in the order of their numbers; rsp is not loaded
  u64 flags;
  std::array<u8, 256> memory;  // rbx points to it while the code runs
  bool operator==(const State&) const = default;
};

constexpr u64 arithmetic_flags = 0x8d5;  // OF SF ZF AF PF CF

// Functions made of bytes: save what a function has to, take the registers from a State in rdi, run
// a body, put everything back.
class CodeMaker {
 public:
  // `pops_flags`: also popf, which windows end at.
  CodeMaker(u8* at, unsigned seed, bool pops_flags = false)
      : out_(at), random_(seed), pieces_(pops_flags ? 16 : 15) {}

  u8* make() {
    u8* leaf = out_;
    for (int i = 0; i < 6; ++i) arithmetic();
    put({0xc3});
    releasing_ = out_;
    arithmetic();
    put({0xc2, 0x10, 0x00});  // ret 16
    u8* entry = out_;
    prologue();
    for (int i = 0; i < 40; ++i) piece(leaf);
    epilogue();
    return entry;
  }
  u8* end() const { return out_; }

 private:
  void put(std::initializer_list<unsigned> bytes) {
    for (unsigned byte : bytes) *out_++ = static_cast<u8>(byte);
  }
  void put32(u64 value) {
    auto narrow = static_cast<u32>(value);
    std::memcpy(out_, &narrow, 4);
    out_ += 4;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  // Not rsp, nor rbx (memory) and r15 (the State).
  unsigned reg() {
    constexpr unsigned usable[] = {0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    return usable[below(std::size(usable))];
  }

  void prologue() {
    put({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // push rbx rbp r12-r15
    put({0x49, 0x89, 0xff});                                            // mov r15, rdi
    put({0x49, 0x8d, 0x9f}), put32(offsetof(State, memory));            // lea rbx, [r15 + memory]
    put({0x49, 0x8b, 0x87}), put32(offsetof(State, flags));             // mov rax, [r15 + flags]
    put({0x89, 0xc1, 0xc1, 0xe9, 0x0b, 0x83, 0xe1, 0x01});              // ecx = OF
    put({0x88, 0xc4, 0x88, 0xc8, 0x04, 0x7f,
         0x9e});  // ah = the others; al = cl; add al, 0x7f; sahf
    for (unsigned r = 0; r < 15; ++r)
      if (r != 3 && r != 4) load_or_store(0x8b, r);
  }

  void epilogue() {
    for (unsigned r = 0; r < 15; ++r)
      if (r != 3 && r != 4) load_or_store(0x89, r);
    put({0x9c, 0x41, 0x8f, 0x87}), put32(offsetof(State, flags));  // pushf; pop [r15 + flags]
    put({0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3});
  }

  void load_or_store(unsigned opcode, unsigned r) {
    put({0x49U | (r & 8) >> 1, opcode, 0x87 | (r & 7) << 3}), put32(8 * r);
  }

  void piece(u8* leaf) {
    switch (below(pieces_)) {
      case 15:
        put({0x9c});  // pushf
        arithmetic();
        return put({0x9d});  // popf
      case 14:
        return pointers();
      case 13:
        return strings();
      case 12:
        return frame();
      case 11:
        put({0x50, 0x51});  // two arguments, which the callee takes off
        return call(releasing_);
      case 10:
        return jump_by_memory();
      case 0:
        return forward_branch();
      case 1:
        return loop();
      case 2:
        return call(leaf);
      case 3:
        return call_by_register(leaf);
      case 4:
        return stack();
      case 5:
        return relative_data();
      default:
        return arithmetic();
    }
  }

  void arithmetic() {
    unsigned a = reg(), b = reg();
    unsigned rex = 0x48 | (a & 8) >> 1 | (b & 8) >> 3;
    constexpr unsigned opcodes[] = {0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31, 0x39, 0x85, 0x87};
    switch (below(5)) {
      case 0:  // op r64, r64
      case 1:
        return put({rex, opcodes[below(std::size(opcodes))], 0xc0 | (a & 7) << 3 | (b & 7)});
      case 2:  // op [rbx + n], r64
        return put({0x48 | (a & 8) >> 1, opcodes[below(8)], 0x43 | (a & 7) << 3, below(15) * 8});
      case 3:  // shl, rol ... r64, n
        return put({0x48 | (b & 8) >> 3, 0xc1, 0xc0 | below(6) << 3 | (b & 7), 1 + below(5)});
      default:  // imul r64, r64
        return put({rex, 0x0f, 0xaf, 0xc0 | (a & 7) << 3 | (b & 7)});
    }
  }

  void forward_branch() {
    bool near = below(2) == 0;
    unsigned condition = below(16);
    if (near)
      put({0x0f, 0x80 | condition, 0, 0, 0, 0});
    else
      put({0x70 | condition, 0});
    u8* behind = out_;
    for (unsigned i = 0; i < 3; ++i) arithmetic();
    auto distance = static_cast<i32>(out_ - behind);
    if (near)
      std::memcpy(behind - 4, &distance, 4);
    else
      behind[-1] = static_cast<u8>(distance);
  }

  // mov ecx, n; body; loop or jrcxz
  void loop() {
    put({0xb9, 1 + below(4), 0, 0, 0});
    u8* top = out_;
    put({0x48, 0x01, 0x4b, below(15) * 8});  // add [rbx + n], rcx
    put({0x4d, 0x11, 0xc1});                 // adc r9, r8
    put({below(2) ? 0xe2U : 0xe0U, 0});      // loop, loopne
    out_[-1] = static_cast<u8>(top - out_);
    put({0xe3, 0x03, 0x4d, 0x29, 0xc1});  // jrcxz over sub r9, r8
  }

  void call(u8* leaf) { put({0xe8}), put32(static_cast<u64>(leaf - (out_ + 4))); }

  // lea rax, [rip + leaf]; call rax, or by the stack
  void call_by_register(u8* leaf) {
    put({0x48, 0x8d, 0x05}), put32(static_cast<u64>(leaf - (out_ + 4)));
    if (below(2)) return put({0xff, 0xd0});
    put({0x50, 0xff, 0x14, 0x24});        // push rax; call [rsp]
    put({0x48, 0x8d, 0x64, 0x24, 0x08});  // lea rsp, [rsp + 8]
    put({0x31, 0xc0});                    // xor eax, eax: where the code lies must not show
  }

  // lea rax, [rip + 4]; push rax; jmp [rsp]
  void jump_by_memory() {
    put({0x48, 0x8d, 0x05, 0x04, 0x00, 0x00, 0x00, 0x50, 0xff, 0x24, 0x24});
    put({0x48, 0x8d, 0x64, 0x24, 0x08, 0x31, 0xc0});  // as in call_by_register()
  }

  // With a count of 0 too. Pointers to the memory must not show.
  void strings() {
    put({0x48, 0x8d, 0x7b, below(100), 0x48, 0x8d, 0x73, below(100)});  // lea rdi, rsi
    put({0xb9, below(9), 0, 0, 0});                                     // mov ecx, n
    switch (below(3)) {
      case 0:
        put({0xf3, 0xaa});  // rep stosb
        break;
      case 1:
        put({0xf3, 0x48, 0xa5});  // rep movsq
        break;
      default:
        put({0xf2, 0xae});  // repne scasb
    }
    put({0xbf, 0, 0, 0, 0, 0xbe, 0, 0, 0, 0});  // mov edi, 0; mov esi, 0
  }

  // Operands in memory by rcx and r11, which stubs borrow, and those of push, pop and xlat.
  void pointers() {
    put({0x48, 0x8d, 0x4b, below(8) * 8, 0x48, 0x01, 0x41,
         below(8) * 8});                                          // lea rcx; add [rcx], rax
    put({0x31, 0xc9, 0x41, 0xbb, below(15), 0, 0, 0});            // xor ecx, ecx; mov r11d
    put({0x4a, 0x31, 0x14, 0xdb});                                // xor [rbx + r11 * 8], rdx
    put({0xff, 0x73, below(15) * 8, 0x8f, 0x43, below(15) * 8});  // push [rbx + n]; pop [rbx + n]
    put({0xd7});                                                  // xlat
  }

  void frame() {
    put({0xc8, 0x10, 0x00, 0x00});              // enter 16, 0
    put({0x54, 0x58, 0x48, 0x29, 0xe0, 0xc9});  // push rsp; pop rax; sub rax, rsp; leave
  }

  void stack() {
    unsigned a = reg(), b = reg();
    put({0x48, 0x89, 0x44, 0x24, 0xf0});  // mov [rsp - 16], rax: the red zone
    forward_branch();
    put({0x48, 0x03, 0x54, 0x24, 0xf0});  // add rdx, [rsp - 16]
    if (a & 8) put({0x41});
    put({0x50 | (a & 7)});
    arithmetic();
    if (b & 8) put({0x41});
    put({0x58 | (b & 7)});
    put({0x9c, 0x58, 0x25}), put32(arithmetic_flags);  // pushf; pop rax; and eax, flags
  }

  // The copy has to read what the original reads.
  void relative_data() {
    put({0xeb, 0x08});
    for (int i = 0; i < 8; ++i) put({below(256)});
    put({0x48, 0x33, 0x05}), put32(static_cast<u64>(-i64(15)));               // xor rax, [rip - 15]
    put({0x48, 0x83, 0x05}), put32(static_cast<u64>(-i64(23))), put({0x05});  // add [rip - 23], 5
  }

  u8* out_;
  u8* releasing_ = nullptr;
  std::minstd_rand random_;
  unsigned pieces_;
};

inline State random_state(unsigned seed) {
  std::mt19937_64 random(seed);
  State state{};
  for (auto& one : state.registers) one = random() >> (random() % 64);
  for (auto& one : state.memory) one = static_cast<u8>(random());
  state.flags = (random() & arithmetic_flags) | 2;
  return state;
}

using Function = void(State*);

}  // namespace pgokit::record
