#include "dwarf/overlay.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pgokit::dwarf {

// Nearly all ranges are nested in the order of the entries, and for those one sweep over the sorted
// ranges gives LLVM's result: twice as fast as its map. Sorted ranges fall into clusters that have
// no address in common; only in a cluster that is not well nested (removed functions, all at
// address 0, for one) the map is built as LLVM does it.

void RangeOverlay::add(Range range, u32 scope) {
  if (range.begin == range.end) return;
  layers_.push_back({range, static_cast<u32>(layers_.size()), scope});
}

std::vector<RangeOverlay::Start> RangeOverlay::build() {
  auto key = [](const Layer& l) { return std::tuple(l.range.begin, ~l.range.end, l.order); };
  std::ranges::sort(layers_, {}, key);
  for (size_t first = 0; first < layers_.size();) {
    size_t end = end_of_cluster(first), starts = starts_.size();
    if (!sweep_nested(first, end)) {
      starts_.resize(starts);
      replay(first, end);
    }
    first = end;
  }
  layers_ = {};
  return std::move(starts_);
}

size_t RangeOverlay::end_of_cluster(size_t first) const {
  u64 reach = layers_[first].range.end;
  size_t end = first + 1;
  for (; end < layers_.size() && layers_[end].range.begin < reach; ++end)
    reach = std::max(reach, layers_[end].range.end);
  return end;
}

void RangeOverlay::start(u64 address, u32 scope) {
  if (!starts_.empty() && starts_.back().address == address)
    starts_.back().scope = scope;
  else
    starts_.push_back({address, scope});
}

bool RangeOverlay::sweep_nested(size_t first, size_t end) {
  std::vector<const Layer*> open;
  auto close = [&] {
    u64 address = open.back()->range.end;
    open.pop_back();
    start(address, open.empty() ? none : open.back()->scope);
  };
  for (size_t i = first; i < end; ++i) {
    const Layer& layer = layers_[i];
    if (layer.range.end < layer.range.begin) return false;
    while (!open.empty() && open.back()->range.end <= layer.range.begin) close();
    bool nested = open.empty() ||
                  (layer.range.end <= open.back()->range.end && layer.order > open.back()->order);
    if (!nested) return false;
    start(layer.range.begin, layer.scope);
    open.push_back(&layer);
  }
  while (!open.empty()) close();
  return true;
}

void RangeOverlay::replay(size_t first, size_t end) {
  std::vector<Layer> in_order(layers_.begin() + first, layers_.begin() + end);
  std::ranges::sort(in_order, {}, &Layer::order);
  struct Piece {
    u64 end;
    u32 scope;
  };
  std::map<u64, Piece> pieces;
  for (const auto& layer : in_order) {
    auto over = pieces.upper_bound(layer.range.begin);
    bool cuts = over != pieces.begin();
    if (cuts) cuts = layer.range.begin < (--over)->second.end;
    if (cuts) {
      if (layer.range.end < over->second.end) pieces[layer.range.end] = over->second;
      if (layer.range.begin > over->first) over->second.end = layer.range.begin;
    }
    pieces[layer.range.begin] = {layer.range.end, layer.scope};
  }
  for (auto at = pieces.begin(); at != pieces.end(); ++at) {
    auto [piece_end, scope] = at->second;
    bool empty = piece_end <= at->first;  // a range that ends before it begins
    start(at->first, empty ? none : scope);
    auto next = std::next(at);
    if (!empty && (next == pieces.end() || piece_end < next->first)) start(piece_end, none);
  }
}

}  // namespace pgokit::dwarf
