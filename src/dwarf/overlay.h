#pragma once

// Ranges of entries laid over each other, later ones on top.
//
//   RangeOverlay overlay;
//   overlay.add({0x1000, 0x1100}, 0);              // in the order of the entries
//   overlay.add({0x1010, 0x1020}, 1);
//   auto starts = overlay.build();                 // 0x1000: 0, 0x1010: 1, 0x1020: 0, 0x1100: none
//
// What lies on top where ranges overlap without being nested is LLVM's rule: a range cuts the one
// that its first address lies in, and replaces the one that begins where it begins.

#include <vector>

#include "dwarf/ranges.h"

namespace pgokit::dwarf {

class RangeOverlay {
 public:
  static constexpr u32 none = ~u32{0};

  // From here up to the next one.
  struct Start {
    u64 address = 0;
    u32 scope = none;
    bool operator==(const Start&) const = default;
  };

  // `scope` is not `none`. Empty ranges count for nothing.
  void add(Range range, u32 scope);
  std::vector<Start> build();

 private:
  struct Layer {
    Range range;
    u32 order = 0, scope = 0;
  };

  size_t end_of_cluster(size_t first) const;
  bool sweep_nested(size_t first, size_t end);
  void replay(size_t first, size_t end);
  void start(u64 address, u32 scope);

  std::vector<Layer> layers_;
  std::vector<Start> starts_;
};

}  // namespace pgokit::dwarf
