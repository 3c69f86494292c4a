#pragma once

// The instructions of one function, as far as blocks need them, and what they refer to.
//
//   FunctionCode code = read_code(decoder, bytes, function, is_x86);
//   for (const auto& one : code.instructions) use(one.offset, one.flow);

#include <compare>
#include <vector>

#include "bolt/functions.h"
#include "isa/decoder.h"

namespace pgokit::bolt {

struct Instruction {
  u32 offset = 0;
  isa::Flow flow = isa::Flow::none;
  bool leaves = false;  // a direct jump to another function
  bool ends = false;    // the last of its block
};

struct FunctionCode {
  bool readable = false;                  // into blocks, as BOLT does
  std::vector<Instruction> instructions;  // ascending
  std::vector<u32> targets;               // offsets that its branches go to
  std::vector<u64> elsewhere;             // addresses in other functions that it goes to
  // Where tables of jumps may be: pairs of an address and whether entries are offsets of 4 bytes.
  struct Table {
    u64 address = 0;
    bool relative = false;
    auto operator<=>(const Table&) const = default;
  };
  std::vector<Table> tables;
};

// `bytes`: those of the function, `size` of them.
FunctionCode read_code(const isa::Decoder& decoder, Bytes bytes, const Function& function,
                       bool is_x86);

}  // namespace pgokit::bolt
