#pragma once

// The basic block address map of a program: where clang put each block, and what it believed of how
// often the block runs when it did so. `clang -fbasic-block-address-map` writes it, with
// `-mllvm -pgo-analysis-map=all` the beliefs too.
//
//   TRY(block_map::each_function(file, [&](const block_map::Function& function) {
//     for (const auto& block : function.blocks) use(function.address_of(block), block.size);
//   }));
//
// Section .llvm_bb_addr_map, one or more of them, each a list of functions:
//
//   u8 version 2 to 5, features: u8, from version 5 on u16
//   with several ranges: uleb count of ranges; else there is one
//   per range: address (4 or 8 bytes), uleb count of blocks, and per block unless they are omitted:
//       uleb id, uleb offset from the end of the block before it,
//       with call sites: uleb count, and per call the uleb distance of its end from the one before
//       uleb size, from the end of its last call on; uleb flags; with hashes: u64
//   with entry counts: uleb count
//   with frequencies or probabilities, per block of all ranges:
//       uleb frequency; post link: uleb count
//       uleb count of successors; each: uleb id, uleb probability, post link: uleb count
//
// Numbers are little-endian. Source of truth: llvm/lib/Object/ELF.cpp (LLVM 22), and
// `llvm-readobj-22 --bb-addr-map`.

#include <functional>
#include <span>

#include "base/result.h"
#include "object/file.h"

namespace pgokit::block_map {

struct Features {
  bool entry_count = false, frequencies = false, probabilities = false;
  bool several_ranges = false, omitted_blocks = false, call_sites = false, hashes = false;
  bool post_link = false;  // counts of a profile that was made after linking

  bool beliefs() const { return entry_count || frequencies || probabilities; }
};

struct Block {
  static constexpr u8 returns = 1, tail_call = 2, landing_pad = 4, falls_through = 8,
                      indirect_branch = 16;
  u32 id = 0;
  u32 offset = 0, size = 0;  // bytes, from the range's address
  u16 range = 0;             // number of it
  u8 flags = 0;
};

// Columns that a feature fills; empty where it is not there.
struct Columns {
  std::vector<u64> hashes, frequencies, post_link_counts;  // by block
  std::vector<u32> first_call, first_successor;            // by block, one more than blocks
  std::vector<u32> calls;                      // ends of calls, from the begin of their block
  std::vector<u32> successors, probabilities;  // ids of blocks; of probability_one
  std::vector<u64> edge_counts;                // post link
};
constexpr u32 probability_one = u32{1} << 31;

struct Function {
  u8 version = 0;
  Features features;
  u64 entry_count = 0;         // by the profile; 0 also where clang had none
  std::vector<u64> addresses;  // of the ranges; the first is the function's
  std::vector<Block> blocks;   // of all ranges
  Columns columns;

  u64 address_of(const Block& block) const { return addresses[block.range] + block.offset; }
  std::span<const u32> calls_of(size_t block) const;
  std::span<const u32> successors_of(size_t block) const;
  std::span<const u32> probabilities_of(size_t block) const;
};

using Visitor = std::function<void(const Function&)>;

// One section, relocated. What was visited before an error is right.
Status each_function(Bytes section, u8 address_size, const Visitor& visit);

// All sections of a file; in relocatable objects addresses are those of object::Layout. An error
// where there is none.
Status each_function(const object::File& file, const Visitor& visit);

bool has_block_map(const object::File& file);

// How a program gets one with beliefs. With LTO code is generated in the link, by lld.
inline constexpr std::string_view options_for_beliefs =
    "-fbasic-block-address-map -mllvm -pgo-analysis-map=all";
inline constexpr std::string_view options_with_lto =
    "with LTO link with -Wl,--lto-basic-block-address-map,-mllvm,-pgo-analysis-map=all as well";

}  // namespace pgokit::block_map
