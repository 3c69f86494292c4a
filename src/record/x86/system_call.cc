#include "record/x86/system_call.h"

#include "record/x86/assembler.h"

namespace pgokit::record {

Registers outside_of_calls(Registers regs) {
  regs.orig_rax = u64(-1);
  return regs;
}

std::vector<u8> call_code(u64 site, const Registers& saved) {
  Assembler out(site);
  out.bytes({0x0f, 0x05});
  out.bytes({0x48, 0xb8}), out.value(u64(saved.rax));
  out.bytes({0x48, 0xbf}), out.value(u64(saved.rdi));
  out.bytes({0x48, 0xbe}), out.value(u64(saved.rsi));
  out.bytes({0x48, 0xba}), out.value(u64(saved.rdx));
  out.bytes({0x49, 0xba}), out.value(u64(saved.r10));
  out.bytes({0x49, 0xb8}), out.value(u64(saved.r8));
  out.bytes({0x49, 0xb9}), out.value(u64(saved.r9));
  out.bytes({0x48, 0xb9}), out.value(u64(saved.rcx));
  out.bytes({0x49, 0xbb}), out.value(u64(saved.r11));
  out.bytes({0xff, 0x25}), out.value(u32(0)), out.value(u64(saved.rip));
  return std::move(out.code());
}

Registers registers_for_call(const Registers& saved, u64 site, const SystemCall& call) {
  Registers regs = outside_of_calls(saved);
  regs.rip = site;
  regs.rax = static_cast<u64>(call.number);
  regs.rdi = call.arguments[0], regs.rsi = call.arguments[1], regs.rdx = call.arguments[2];
  regs.r10 = call.arguments[3], regs.r8 = call.arguments[4], regs.r9 = call.arguments[5];
  return regs;
}

}  // namespace pgokit::record
