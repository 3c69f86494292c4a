#pragma once

// A program with probes whose functions call each other by jumps, byte by byte.
//
//   0x401000  main:  e8 0b 00 00 00  call a
//   0x401005         ff d0           call rax
//   0x401007         c3              ret
//   0x401010  a:     e9 0b 00 00 00  jmp  b
//   0x401018  c:     e9 03 00 00 00  jmp  b
//   0x401020  b:     90              nop         its own first probe, and the code of `leaf`
//   0x401021         c3              ret
//
// Probe 1 of each function is its entry. main calls at probes 2 and 3, a and c at 2; leaf is
// inlined at probe 2 of b, whose probe 3 is at the return.

#include "src/probe/section_builder.h"
#include "test/support/elf_builder.h"

namespace pgokit::test {

inline std::string tail_call_code() {
  using namespace std::string_literals;
  return "\xe8\x0b\0\0\0\xff\xd0\xc3"s + std::string(8, '\x90') + "\xe9\x0b\0\0\0"s +
         std::string(3, '\x90') + "\xe9\x03\0\0\0"s + std::string(3, '\x90') + "\x90\xc3"s;
}

inline ElfBuilder tail_call_program() {
  probe::SectionBuilder descriptors, probes;
  u64 hash = 100;
  for (auto name : {"main", "a", "b", "c", "leaf"}) descriptors.descriptor(name, ++hash);
  probes.record("main", 3, 0).probe(1, 0, 0).probe(2, 2, 0).probe(3, 1, 5);
  for (auto name : {"a", "c"}) probes.record(name, 2, 0).probe(1, 0, 0).probe(2, 2, 0);
  probes.record("b", 2, 1).probe(1, 0, 0).probe(3, 0, 1).inlinee(2, "leaf", 1, 0).probe(1, 0, -1);
  auto text = [](const probe::SectionBuilder& section) {
    return std::string(section.bytes().begin(), section.bytes().end());
  };
  ElfBuilder builder;
  builder.segment(PF_R, 0, 0x400000, 0x1000)
      .segment(PF_R | PF_X, 0x1000, 0x401000, 0x1000)
      .section(".text", tail_call_code(), {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
      .section(".pseudo_probe_desc", text(descriptors))
      .section(".pseudo_probe", text(probes))
      .symbol("main", 0x401000, 8, 1)
      .symbol("a", 0x401010, 5, 1)
      .symbol("c", 0x401018, 5, 1)
      .symbol("b", 0x401020, 2, 1);
  return builder;
}

}  // namespace pgokit::test
