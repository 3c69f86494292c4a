#pragma once

// Records out of the blocks of LLVM's bitstreams, by the abbreviations that the stream defines.
//
//   auto header = enter_block(in);                       // after the number that begins a block
//   if (!header) return fail("damaged");
//   BlockReader block(*header, shared);
//   while (block.next()) use(block.code(), block.operands(), block.blob());
//   if (!block.ok()) return fail("damaged");
//
// Blocks within blocks are passed over: remarks have none.
//
// Source of truth: LLVM's Bitcode File Format.

#include <array>
#include <optional>
#include <vector>

#include "base/bit_reader.h"

namespace pgokit::remarks {

constexpr u32 enter_block_number = 1;  // in place of an abbreviation's
constexpr u32 outer_width = 2;         // of these numbers outside of all blocks

struct BlockHeader {
  u64 id = 0;
  u32 width = 0;  // of the numbers of abbreviations in it
  Bytes contents;
};

// `in` goes to the block's end. Nothing: it is damaged.
std::optional<BlockHeader> enter_block(BitReader& in);

struct Operand {
  enum class Encoding : u8 { literal, fixed, vbr, array, char6, blob };
  Encoding encoding = Encoding::literal;
  u64 value = 0;  // the literal, or how many bits
};
using Abbreviation = std::vector<Operand>;
using Abbreviations = std::vector<Abbreviation>;

// Remarks have two abbreviations a block and six operands an abbreviation. More than this is taken
// for damage, so that a file cannot claim memory by them.
constexpr size_t most_abbreviations = 32, most_operands = 32;

class BlockReader {
 public:
  // `shared`: what BLOCKINFO defines for blocks of this kind; has to outlive the reader.
  BlockReader(const BlockHeader& block, const Abbreviations& shared)
      : in_(block.contents), width_(block.width), shared_(shared), define_in_(&own_) {}
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  // Goes to the next record; false at the end of the block, or where it is damaged.
  bool next();
  bool ok() const { return ok_ && in_.ok(); }

  u64 code() const { return code_; }
  std::span<const u64> operands() const { return {operands_.data(), count_}; }
  Bytes blob() const { return blob_; }

  // BLOCKINFO: abbreviations that follow are those of another block.
  void define_in(Abbreviations& list) { define_in_ = &list; }

 private:
  static constexpr size_t most_values = 64;  // of a record; the others are passed over

  bool define();
  bool read_plain();
  bool read_abbreviated(const Abbreviation& abbreviation);
  bool read_array(const Operand& element);
  u64 read_value(const Operand& operand);
  void put(u64 value);

  BitReader in_;
  u32 width_;
  const Abbreviations& shared_;
  Abbreviations own_;
  Abbreviations* define_in_;
  bool ok_ = true, has_code_ = false;
  u64 code_ = 0;
  std::array<u64, most_values> operands_;
  size_t count_ = 0;
  Bytes blob_;
};

}  // namespace pgokit::remarks
