#pragma once

// Raw memory profiles as the run times of LLVM 13 to 22 write them.
//
//   MemoryDump dump{.version = 5};
//   dump.segments.push_back({0x1000, 0x2000, "id"});
//   dump.blocks.push_back({.stack = 7, .fields = {1, 2, 3}});
//   dump.stacks.push_back({7, {0x1100, 0x1200}});
//   std::string file = raw_memory(dump);                     // several follow each other in a file

#include <array>
#include <string>
#include <vector>

#include "instr_profile/memory/memory_fields.h"
#include "test/support/debug_builder.h"

namespace pgokit::test {

struct MemoryDump {
  struct Segment {
    u64 start = 0, end = 0;
    std::string build_id;
  };
  struct Block {
    u64 stack = 0;
    std::array<u64, 25> fields{};  // the first is the number of allocations
    std::vector<u64> histogram = {};
  };
  struct Stack {
    u64 number = 0;
    std::vector<u64> places;
  };
  u64 version = 5;
  std::vector<Segment> segments = {};
  std::vector<Block> blocks = {};
  std::vector<Stack> stacks = {};
};

inline std::string raw_memory(const MemoryDump& dump) {
  ByteBuilder segments, blocks, stacks;
  segments.u8s(dump.segments.size());
  for (const auto& one : dump.segments) {
    segments.u8s(one.start).u8s(one.end).u8s(0).u8s(one.build_id.size());
    std::string id = one.build_id;
    id.resize(32);
    segments.bytes(id);
  }
  blocks.u8s(dump.blocks.size());
  for (const auto& block : dump.blocks) {
    blocks.u8s(block.stack);
    for (u32 i = 0; i < block.fields.size(); ++i)
      instr_profile::memory_field(i + 1).size == 4 ? blocks.u4(block.fields[i])
                                                   : blocks.u8s(block.fields[i]);
    if (dump.version < 4) continue;
    blocks.u4(block.histogram.size()).u8s(0x7f0000000000);
    for (u64 value : block.histogram) dump.version < 5 ? blocks.u8s(value) : blocks.u2(value);
  }
  stacks.u8s(dump.stacks.size());
  for (const auto& stack : dump.stacks) {
    stacks.u8s(stack.number).u8s(stack.places.size());
    for (u64 place : stack.places) stacks.u8s(place);
  }
  constexpr u64 header_size = 48;
  u64 block_at = header_size + segments.str().size(), stack_at = block_at + blocks.str().size();
  ByteBuilder file;
  file.bytes(std::string_view("\x81rforpm\xff", 8)).u8s(dump.version);
  file.u8s(stack_at + stacks.str().size()).u8s(header_size).u8s(block_at).u8s(stack_at);
  return file.bytes(segments.str()).bytes(blocks.str()).bytes(stacks.str()).str();
}

}  // namespace pgokit::test
