#include "record/x86/window_clock.h"

#include "record/x86/scratch.h"

namespace pgokit::record {

void emit_clock_stopped(Assembler& out) {
  out.time_stamp(scratch::ended);
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::rdx, scratch::rdx);
}

// A window begins later by the time since it was stopped. `jump` is in use only right before jumps.
void emit_clock_started(Assembler& out) {
  out.time_stamp(scratch::jump);
  out.load(Reg::rax, scratch::ended);
  out.bytes({0x48, 0xf7, 0xd0});  // not rax: - rax - 1
  out.load(Reg::rdx, scratch::jump);
  out.bytes({0x48, 0x8d, 0x44, 0x10, 0x01});  // lea rax, [rax + rdx + 1]
  out.load(Reg::rdx, scratch::begun);
  out.bytes({0x48, 0x8d, 0x04, 0x10});  // lea rax, [rax + rdx]
  out.save(Reg::rax, scratch::begun);
  out.load(Reg::rax, scratch::rax);
  out.load(Reg::rdx, scratch::rdx);
}

}  // namespace pgokit::record
