#pragma once

// The order in which contexts of one function come together, as the judge moves them: one place
// after the other, each with all that hangs below it. Where the function calls itself, places below
// come to hang below those that were moved before, and may meet others there.
//
//   PromotionOrder places;
//   u32 outer = places.add(PromotionOrder::nowhere, 0);
//   places.members(outer).push_back(context);
//   u32 inner = places.add(outer, path);          // the function called by itself, that way
//   ...
//   places.decide(outer, rank);                   // places with samples
//   places.move_all(PromotionOrder::nowhere, false, taken, lost);

#include <tsl/robin_map.h>

#include <set>
#include <vector>

#include "base/hash.h"

namespace pgokit::transform {

class PromotionOrder {
 public:
  static constexpr u32 nowhere = ~u32{0};

  // `path`: stands for the calls from the place above.
  u32 add(u32 above, u64 path);
  std::vector<u32>& members(u32 place) { return places_[place].members; }
  size_t size() const { return places_.size(); }
  // Its turn is that of its rank; without, it stays where it is.
  void decide(u32 place, u32 rank);

  // `first`: the place that is there before any is moved, or nowhere; `has_samples`: whether it
  // has. Adds the contexts in the order of their arrival to `taken`, and those that the judge loses
  // to `lost`.
  void move_all(u32 first, bool has_samples, std::vector<u32>& taken, std::vector<u32>& lost);
  // Something was lost in a way that is not followed here.
  bool is_irregular() const { return irregular_; }

 private:
  struct Place {
    u64 path = 0;
    u32 rank = nowhere;
    bool moved = false, below = false;  // it was moved; it hangs below those that were
    std::vector<u32> members;
    std::vector<u32> nested;
  };
  void move(u32 place, std::vector<u32>& taken, std::vector<u32>& lost);
  void hang_below(u32 place, std::vector<u32>& lost);
  void join(u32 from, u32 to, std::vector<u32>& lost);
  void lose(u32 place, std::vector<u32>& lost);

  std::vector<Place> places_;
  std::set<std::pair<u32, u32>> turns_;      // rank, place
  tsl::robin_map<u64, u32, IntHash> below_;  // by path
  u32 moving_ = nowhere;
  bool has_samples_ = false, irregular_ = false;
};

}  // namespace pgokit::transform
