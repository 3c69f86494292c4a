#include "transform/preinline/promotion_order.h"

#include <algorithm>

namespace pgokit::transform {

u32 PromotionOrder::add(u32 above, u64 path) {
  auto place = static_cast<u32>(places_.size());
  places_.emplace_back().path = path;
  if (above != nowhere) places_[above].nested.push_back(place);
  return place;
}

void PromotionOrder::decide(u32 place, u32 rank) {
  places_[place].rank = rank;
  turns_.emplace(rank, place);
}

void PromotionOrder::move_all(u32 first, bool has_samples, std::vector<u32>& taken,
                              std::vector<u32>& lost) {
  if (turns_.empty() && !has_samples) return;
  if (first != nowhere) move(first, taken, lost);
  has_samples_ = has_samples;
  while (!turns_.empty()) {
    u32 place = turns_.begin()->second;
    turns_.erase(turns_.begin());
    move(place, taken, lost);
    has_samples_ = true;
  }
}

// While it is moved what hangs below it finds it at its old place still, and is lost there: as the
// third level of a function that calls itself the same way again and again.
void PromotionOrder::move(u32 place, std::vector<u32>& taken, std::vector<u32>& lost) {
  moving_ = place;
  auto& moved = places_[place];
  taken.insert(taken.end(), moved.members.begin(), moved.members.end());
  for (u32 nested : moved.nested)
    if (!places_[nested].moved) hang_below(nested, lost);
  moved.moved = true;
  if (moved.below) below_.erase(moved.path);
  moving_ = nowhere;
}

void PromotionOrder::lose(u32 place, std::vector<u32>& lost) {
  auto& gone = places_[place];
  gone.moved = true;
  irregular_ |= !has_samples_ || !gone.nested.empty();
  turns_.erase({gone.rank, place});
  lost.insert(lost.end(), gone.members.begin(), gone.members.end());
}

void PromotionOrder::hang_below(u32 place, std::vector<u32>& lost) {
  auto [there, fresh] = below_.try_emplace(places_[place].path, place);
  if (!fresh) return join(place, there->second, lost);
  places_[place].below = true;
}

// With all that is nested in both.
void PromotionOrder::join(u32 from, u32 to, std::vector<u32>& lost) {
  std::vector<std::pair<u32, u32>> pending{{from, to}};
  while (!pending.empty()) {
    auto [source, target] = pending.back();
    pending.pop_back();
    if (target == moving_) {
      lose(source, lost);
      continue;
    }
    auto &moved = places_[source], &into = places_[target];
    moved.moved = true;
    turns_.erase({moved.rank, source});
    into.members.insert(into.members.end(), moved.members.begin(), moved.members.end());
    if (into.rank == nowhere && moved.rank != nowhere) decide(target, moved.rank);
    for (u32 nested : moved.nested) {
      if (places_[nested].moved) continue;
      auto same = std::ranges::find_if(into.nested, [&](u32 other) {
        return !places_[other].moved && places_[other].path == places_[nested].path;
      });
      if (same == into.nested.end())
        into.nested.push_back(nested);
      else
        pending.emplace_back(nested, *same);
    }
  }
}

}  // namespace pgokit::transform
