#include "record/x86/pair_search.h"

#include <cstddef>

namespace pgokit::record {
namespace {

using scratch::Pair;

constexpr u8 of_key = offsetof(Pair, key);
constexpr u8 of_count = offsetof(Pair, count);
constexpr u8 of_code = offsetof(Pair, code);
constexpr u8 of_edge = offsetof(Pair, edge);
constexpr u8 of_next = offsetof(Pair, next);

// A new pair, linked to those of its place. In: its key in rax, the place in edx; out: the pair in
// ecx. The thread may be taken out at any instruction, so it has no count before it is taken, and is
// taken before anything leads to it. The jump to be bound is taken if there is no room.
u32 emit_new_pair(Assembler& out) {
  auto at_rcx = [&](std::initializer_list<u8> opcode, u8 field) {
    out.bytes({0x65}), out.bytes(opcode), out.bytes({field});
  };
  out.load32(Reg::rcx, scratch::next_pair);
  out.bytes({0x81, 0xf9}), out.value(scratch::pairs_end);  // cmp ecx, pairs_end
  out.bytes({0x0f, 0x84});                                 // je: no room
  u32 no_room = out.rel32();
  at_rcx({0x48, 0xc7, 0x41}, of_count), out.value(u32{0});  // mov qword [count], 0
  out.bytes({0x65, 0x83, 0x04, 0x25}), out.value(scratch::next_pair);
  out.bytes({scratch::pair_size});     // add dword gs:[next_pair], 32
  at_rcx({0x48, 0x89, 0x41}, of_key);  // mov [key], rax
  out.load(Reg::rax, scratch::jump);
  at_rcx({0x48, 0x89, 0x41}, of_code);  // mov [code], rax
  out.load32(Reg::rax, scratch::edge);
  at_rcx({0x89, 0x41}, of_edge);  // mov [edge], eax
  at_rcx({0x89, 0x49}, of_next);  // mov [next], ecx: alone
  out.bytes({0x65, 0x8b, 0x02});  // mov eax, gs:[rdx]
  out.bytes({0x85, 0xc0});        // test eax, eax
  out.bytes({0x74, 0});           // jz: it is
  u32 alone = out.offset() - 1;
  out.bytes({0x65, 0x8b, 0x40, of_next});  // mov eax, gs:[rax + next]
  at_rcx({0x89, 0x41}, of_next);           // mov [next], eax
  out.bytes({0x65, 0x8b, 0x02});           // mov eax, gs:[rdx]
  out.bytes({0x65, 0x89, 0x48, of_next});  // mov gs:[rax + next], ecx
  out.bind8(alone);
  return no_room;
}

}  // namespace

std::vector<u32> emit_pair_found(Assembler& out) {
  std::vector<u32> not_found;
  out.load(Reg::rcx, scratch::target);
  not_found.push_back(emit_lookup(out));
  out.bytes({0x48, 0x89, 0xc8});                                   // mov rax, rcx
  out.bytes({0x48, 0xf7, 0xd8});                                   // neg rax
  out.bytes({0x0f, 0xb7, 0xd1});                                   // movzx edx, cx
  out.bytes({0xc1, 0xe2, 2});                                      // shl edx, 2
  out.bytes({0x65, 0x03, 0x14, 0x25}), out.value(scratch::place);  // add edx, gs:[place]
  out.bytes({0x65, 0x8b, 0x0a});                                   // mov ecx, gs:[rdx]
  out.bytes({0x85, 0xc9});                                         // test ecx, ecx
  out.bytes({0x74, 0});                                            // jz: none
  u32 none = out.offset() - 1;                                     //
  u32 next = out.offset();                                         //
  out.bytes({0x65, 0x8b, 0x49, of_next});                          // mov ecx, gs:[rcx + next]
  out.bytes({0x65, 0x48, 0x39, 0x41, of_key});                     // cmp gs:[rcx + key], rax
  out.bytes({0x74, 0});                                            // je: found
  u32 found = out.offset() - 1;                                    //
  out.bytes({0x65, 0x3b, 0x0a});                                   // cmp ecx, gs:[rdx]
  out.bytes({0x75}), out.back8(next);                              // jne: the next one
  out.bind8(none);
  not_found.push_back(emit_new_pair(out));
  out.bind8(found);
  out.bytes({0x65, 0x89, 0x0a});  // mov gs:[rdx], ecx
  return not_found;
}

void emit_pair_counted(Assembler& out) { out.bytes({0x65, 0x48, 0x83, 0x41, of_count, 1}); }

}  // namespace pgokit::record
