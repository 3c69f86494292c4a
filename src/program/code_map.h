#pragma once

// Which bytes of the program's code begin an instruction, and what that instruction does to the
// flow of control.
//
//   auto code = TRY(CodeMap::build(file, symbols));
//   CodeIndex at = code.index_of(address);
//   if (code.is_instruction(at) && code.is_jump(at)) ...
//
// One byte of memory per code byte, filled region by region (symbol to next symbol) when first
// asked for: a program of 100 MB costs what its sampled functions cost. Look-ups may run on any
// number of threads. The boundaries are those of a linear decode from each symbol to the next, as
// llvm-profgen sees them: bytes in front of the first symbol of a section are no instructions, and
// a program without .symtab has none at all.

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "base/zero_pages.h"
#include "isa/decoder.h"
#include "object/file.h"
#include "program/code_modes.h"
#include "program/symbols.h"

namespace pgokit::program {

// A code byte counted over all code sections in address order: half the size of an address, so that
// a range or branch is one u64.
enum class CodeIndex : u32 {};
inline constexpr CodeIndex no_code{~u32{0}};

class CodeMap {
 public:
  static Result<CodeMap> build(const object::File& file, const CodeSymbols& symbols,
                               isa::Extensions extensions = isa::Extensions::all);

  // no_code outside the code sections.
  CodeIndex index_of(BinaryAddr address) const {
    u64 offset = address.value - main_address_;
    if (offset < main_size_) [[likely]]
      return CodeIndex(main_first_ + static_cast<u32>(offset));
    return search(address);
  }
  BinaryAddr address_of(CodeIndex index) const {
    u32 offset = static_cast<u32>(index) - main_first_;
    if (offset < main_size_) [[likely]]
      return {main_address_ + offset};
    return search(index);
  }
  u64 size() const { return size_; }
  const CodeModes& modes() const { return modes_; }

  // Asks for what is known of the instruction, which is_instruction() is going to need.
  void prefetch(CodeIndex at) const { __builtin_prefetch(&map_[static_cast<u32>(at)]); }

  // These take any index but no_code.
  bool is_instruction(CodeIndex at) const { return length(at) != 0; }
  unsigned length(CodeIndex at) const { return byte(at) & length_bits; }
  bool is_call(CodeIndex at) const { return flow(at) == call; }
  bool is_return(CodeIndex at) const { return flow(at) == ret; }
  // A direct jump that is always taken; one whose target is not in the instruction.
  bool is_jump(CodeIndex at) const { return flow(at) == jump; }
  bool is_indirect_jump(CodeIndex at) const { return flow(at) == indirect_jump; }
  // A call, a return or any jump.
  bool is_transfer(CodeIndex at) const { return flow(at) != plain && flow(at) != inside; }
  // What follows is never reached by running on: a call, a return or a direct jump that is always
  // taken. (Indirect jumps do not count, as in llvm-profgen.)
  bool stops_flow(CodeIndex at) const;

  // Where a direct jump or call goes; 0 for other instructions. Decodes it again.
  BinaryAddr direct_target(CodeIndex at) const;
  // Where the symbol is that the decoding of this instruction began at.
  BinaryAddr symbol_before(CodeIndex at) const;

  // The first instruction at or behind `at`, the last one before it; no_code when there is none.
  CodeIndex at_or_after(CodeIndex at) const;
  CodeIndex before(CodeIndex at) const;

  // Bytes of the instructions that begin from `first` to `last`.
  u64 instruction_bytes(BinaryAddr first, BinaryAddr last) const;

  // Whether execution that enters at `first` can run straight to the instruction `last`.
  bool falls_through(CodeIndex first, CodeIndex last) const;

 private:
  // A byte of the map: instruction length below, flow above; 0 until its region is decoded.
  enum Flow : u8 {
    plain = 0x00,
    conditional = 0x10,
    jump = 0x20,
    indirect_jump = 0x30,
    call = 0x40,
    ret = 0x50,
    inside = 0x80,  // not the first byte of an instruction
  };
  static constexpr u8 length_bits = 0x0f, flow_bits = 0xf0;

  struct CodeSection {
    u64 address, size;
    u32 first;  // index of its first byte
    Bytes contents;
    std::vector<u32> regions;  // where symbols start, ascending
  };

  CodeMap() = default;
  static Flow flow_of(isa::Flow flow);
  // Every byte is written once, from 0 to its final value, so a reader that sees it set needs no
  // lock.
  u8 byte(CodeIndex at) const {
    std::atomic_ref<u8> entry(map_[static_cast<u32>(at)]);
    u8 value = entry.load(std::memory_order_relaxed);
    if (value == 0) [[unlikely]] {
      decode_region(static_cast<u32>(at));
      value = entry.load(std::memory_order_relaxed);
    }
    return value;
  }
  CodeIndex search(BinaryAddr address) const;
  BinaryAddr search(CodeIndex index) const;
  u8 flow(CodeIndex at) const { return byte(at) & flow_bits; }
  const CodeSection& section_of(u32 index) const;
  void decode_region(u32 index) const;

  std::vector<CodeSection> sections_;
  u64 main_address_ = 0, main_size_ = 0;  // the largest section, where nearly all samples are
  u32 main_first_ = 0;
  u32 size_ = 0;
  ZeroPages map_;
  std::unique_ptr<isa::Decoder> decoder_;
  CodeModes modes_;
  // Threads decode different regions at the same time, most of them.
  using Locks = std::array<std::mutex, 64>;
  std::unique_ptr<Locks> decoding_ = std::make_unique<Locks>();
};

}  // namespace pgokit::program
