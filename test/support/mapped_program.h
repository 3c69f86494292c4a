#pragma once

// The tiny program (test/support/tiny_program.h) with a map of its blocks, as a file.
//
//   auto program = test::mapped_program(dir);
//
//   main  0: 0x401000 test, je   1: 0x401004 add   2: 0x401007 call   3: 0x40100c ret
//   leaf  0: 0x401010

#include <cstdlib>

#include "block_map/block_map.h"
#include "program/program.h"
#include "test/support/shell.h"
#include "test/support/tiny_program.h"

namespace pgokit::test {

// The bytes of a map's section; numbers below 128 are one byte each.
class BlockMapBytes {
 public:
  BlockMapBytes& function(u64 address, u8 blocks) {
    bytes += std::string("\5\0\0", 3);  // version, features
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(address >> 8 * i);
    bytes += static_cast<char>(blocks);
    return *this;
  }
  BlockMapBytes& block(u8 id, u8 size, u8 flags) {
    for (u8 value : {id, u8{0}, size, flags}) bytes += static_cast<char>(value);
    return *this;
  }
  std::string bytes;
};

inline ElfBuilder mapped_builder(u8 flags_of_last_block = block_map::Block::returns) {
  constexpr u8 falls = block_map::Block::falls_through;
  BlockMapBytes map;
  map.function(0x401000, 4).block(0, 4, falls).block(1, 3, falls).block(2, 5, falls);
  map.block(3, 1, flags_of_last_block);
  map.function(0x401010, 1).block(0, 2, block_map::Block::returns);
  auto builder = tiny_program();
  builder.section(".llvm_bb_addr_map", map.bytes, {.type = 0x6fff4c0a, .link = 1});
  return builder;
}

inline std::string mapped_image(u8 flags_of_last_block = block_map::Block::returns) {
  return mapped_builder(flags_of_last_block).image();
}

inline program::Program opened(const ScratchDir& dir, std::string_view image) {
  dir.write("app", image);
  auto program = program::Program::open(dir.file("app"), {});
  if (!program || !program->load_functions(1)) std::abort();
  return std::move(*program);
}

inline program::Program mapped_program(const ScratchDir& dir) {
  return opened(dir, mapped_image());
}

}  // namespace pgokit::test
