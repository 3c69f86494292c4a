#pragma once

// The samples that a profile has for the blocks of a function as it was compiled.
//
//   BlockPlaces places = TRY(BlockPlaces::of(program, by_probes));
//   BlockSamples samples(blocks, places, profile_counts);      // of one function of the block map
//   if (auto count = samples.of(3)) use(*count);

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "annotate/profile_counts.h"
#include "block_map/block_map.h"
#include "program/program.h"

namespace pgokit::annotate {

// Which places the code of a block comes from, by lines or by probes. For one thread.
class BlockPlaces {
 public:
  // The program must outlive it. Without lines or probes no code has places.
  static Result<BlockPlaces> of(const program::Program& program, bool by_probes);
  BlockPlaces(BlockPlaces&&) noexcept;
  BlockPlaces& operator=(BlockPlaces&&) noexcept;
  ~BlockPlaces();

  using Frames = std::span<const ProfileCounts::Frame>;
  void each(u64 begin, u64 end, const std::function<void(Frames)>& visit);

 private:
  class Reader;
  class Lines;
  class Probes;
  explicit BlockPlaces(std::unique_ptr<Reader> reader);

  std::unique_ptr<Reader> reader_;
};

// Of the blocks of one function.
class BlockSamples {
 public:
  BlockSamples(const block_map::Function& function, BlockPlaces& places,
               const ProfileCounts& profile);

  // By the places that no other block has. nullopt: there are none in the profile, or they
  // contradict each other, as where code was moved.
  std::optional<u64> of(size_t block) const { return blocks_[block].samples; }
  std::vector<std::optional<u64>> all() const;
  // The profile has a place of it.
  bool is_profiled(size_t block) const { return !blocks_[block].places.empty(); }
  // The profile has the same places for both.
  bool are_alike(size_t a, size_t b) const { return blocks_[a].places == blocks_[b].places; }
  // All places of `block` that the profile has are also of the other.
  bool adds_nothing(size_t block, size_t other) const {
    return std::ranges::includes(blocks_[other].places, blocks_[block].places);
  }

 private:
  struct Block {
    std::optional<u64> samples;
    std::vector<u64> places;  // that the profile has, ascending
  };
  std::vector<Block> blocks_;
};

}  // namespace pgokit::annotate
