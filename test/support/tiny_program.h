#pragma once

// A program of two functions, byte by byte, for tests of what is counted where.
//
//   0x401000  main:  85 ff           test edi, edi
//   0x401002         74 03           je   0x401007
//   0x401004         83 c7 01        add  edi, 1
//   0x401007         e8 04 00 00 00  call 0x401010
//   0x40100c         c3              ret
//   0x40100d         0f 1f 00        nop
//   0x401010  leaf:  90              nop
//   0x401011         c3              ret
//
// Linked at 0x400000, its code mapped from offset 0x1000.

#include "test/support/elf_builder.h"

namespace pgokit::test {

inline std::string tiny_code() {
  using namespace std::string_literals;
  return "\x85\xff\x74\x03\x83\xc7\x01\xe8\x04\x00\x00\x00\xc3\x0f\x1f\x00\x90\xc3"s;
}

inline ElfBuilder tiny_program() {
  ElfBuilder builder;
  builder.segment(PF_R, 0, 0x400000, 0x1000)
      .segment(PF_R | PF_X, 0x1000, 0x401000, 0x1000)
      .section(".text", tiny_code(), {.flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x401000})
      .symbol("main", 0x401000, 13, 1)
      .symbol("leaf", 0x401010, 2, 1)
      .build_id("tiny build id here!!");
  return builder;
}

}  // namespace pgokit::test
