#pragma once

// How often the edges between the blocks of a function ran, where only some of its blocks have
// counts: what comes into a block goes out of it.
//
//   BlockFlow flow(function, counts);               // by block
//   if (auto count = flow.edge(3, 0)) use(*count);  // from block 3 to its first successor

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "block_map/block_map.h"

namespace pgokit::annotate {

class BlockFlow {
 public:
  BlockFlow(const block_map::Function& function, std::span<const std::optional<u64>> counts);

  // nullopt: not known, or what is known contradicts itself.
  std::optional<u64> block(size_t block) const { return blocks_[block].count; }
  std::optional<u64> edge(size_t block, size_t successor) const;
  // How many blocks lead to each; calls are one of the entry's.
  std::span<const u32> predecessors() const { return predecessors_; }

 private:
  static constexpr u32 no_block = ~u32{0};
  enum Direction : u8 { in, out };
  // The edges on one side of a block.
  struct Side {
    std::vector<u32> edges;
    size_t unknown = 0;
    u64 sum = 0;  // of those that are known
  };
  struct Block {
    std::optional<u64> count;
    std::array<Side, 2> sides;
  };
  struct Edge {
    u32 from = 0, to = no_block;
    std::optional<u64> count;
  };
  void connect(const block_map::Function& function);
  void complete(u32 number, Side& side);
  void learn(u32 edge, u64 count);
  void learn(u32 block, Direction direction, u64 count);

  std::vector<Block> blocks_;
  std::vector<Edge> edges_;
  std::vector<u32> predecessors_;
  std::vector<u32> waiting_;  // blocks of which something new is known
};

}  // namespace pgokit::annotate
