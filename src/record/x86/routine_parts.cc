#include "record/x86/routine_parts.h"

namespace pgokit::record {

void note_state(const Assembler& out, Routines& routines, Recovery recovery) {
  recovery.offset = out.offset();
  routines.recoveries.push_back(recovery);
}

void emit_flags_saved(Assembler& out) {
  out.bytes({0x9f});              // lahf
  out.bytes({0x0f, 0x90, 0xc0});  // seto al
  out.save32(Reg::rax, scratch::flags);
}

void emit_restored(Assembler& out) {
  out.load32(Reg::rax, scratch::flags);
  out.bytes({0x04, 0x7f});  // add al, 0x7f: sets the overflow flag where al is 1
  out.bytes({0x9e});        // sahf
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::rdx, scratch::rdx);
}

u32 emit_lookup(Assembler& out) {
  out.bytes({0x48, 0x89, 0xca});        // mov rdx, rcx
  out.bytes({0x48, 0xc1, 0xea, 0x0f});  // shr rdx, 15
  out.bytes({0x31, 0xca});              // xor edx, ecx
  out.bytes({0x0f, 0xb7, 0xd2});        // movzx edx, dx
  u32 next = out.offset();
  out.load(Reg::rax, scratch::table);
  out.bytes({0x48, 0x8b, 0x04, 0xd0});  // mov rax, [rax + rdx*8]
  out.bytes({0x48, 0x85, 0xc0});        // test rax, rax
  out.bytes({0x0f, 0x84});              // jz: not translated yet
  u32 missing = out.rel32();
  out.bytes({0x48, 0x3b, 0x48, 0xf8});  // cmp rcx, [rax - 8]
  out.bytes({0x74, 0x00});              // je: found
  u32 found = out.offset() - 1;
  out.bytes({0x66, 0xff, 0xc2});  // inc dx
  out.bytes({0xeb}), out.value(static_cast<u8>(next - (out.offset() + 1)));
  out.bind8(found);
  out.save(Reg::rax, scratch::jump);
  return missing;
}

}  // namespace pgokit::record
