#include "generate/context/probes/probe_pieces.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace pgokit::generate {

// Where what a share has begins among what all have.
struct ProbePieces::Place {
  u32 range, piece, list;
  size_t slot;
};

// What one thread finds of neighbouring ranges, with numbers of its own for pieces and lists.
class ProbePieces::Share {
 public:
  void add(const unwind::Range& range, const ProbeCode& code) {
    auto first = static_cast<u32>(pieces.size());
    size_t used = 0;
    for (const auto& hit : code.in(range.first, range.last)) {
      auto its = std::span(pieces).subspan(first);
      auto at = static_cast<size_t>(std::ranges::find(its, hit.node, &Piece::node) - its.begin());
      if (at == its.size()) {
        pieces.push_back({.node = hit.node, .function = hit.function, .list = 0, .entries = 0});
        if (used == slots_.size()) slots_.emplace_back();
        slots_[used++].clear();
      }
      slots_[at].push_back(hit.slot);
      pieces[first + at].entries +=
          hit.slot >= code.first_entry(hit.node) && hit.slot < code.end_entry(hit.node);
    }
    for (size_t i = 0; i < used; ++i)
      pieces[first + i].list = list_of(pieces[first + i].node, slots_[i]);
    ranges.push_back({range.key(), first, static_cast<u32>(pieces.size())});
  }
  Place behind(Place place) const {
    place.range += static_cast<u32>(ranges.size());
    place.piece += static_cast<u32>(pieces.size());
    place.list += static_cast<u32>(nodes.size());
    place.slot += list_slots.size();
    return place;
  }

  std::vector<Entry> ranges;
  std::vector<Piece> pieces;
  std::vector<u32> nodes;  // of lists
  std::vector<u32> list_slots, list_ends;

 private:
  u32 list_of(u32 node, std::vector<u32>& slots) {
    std::ranges::sort(slots);
    u64 hash = 0;
    for (u32 slot : slots) hash = IntHash{}(hash ^ (u64{slot} + 1));
    auto [known, fresh] = lists_.try_emplace(hash, static_cast<u32>(nodes.size()));
    if (!fresh && std::ranges::equal(slots_of(known->second), slots)) return known->second;
    list_slots.insert(list_slots.end(), slots.begin(), slots.end());
    list_ends.push_back(static_cast<u32>(list_slots.size()));
    nodes.push_back(node);
    return static_cast<u32>(nodes.size() - 1);
  }

  std::span<const u32> slots_of(u32 list) const {
    u32 begin = list ? list_ends[list - 1] : 0;
    return std::span(list_slots).subspan(begin, list_ends[list] - begin);
  }

  std::vector<std::vector<u32>> slots_;      // of the pieces of the range at hand
  tsl::robin_map<u64, u32, IntHash> lists_;  // by hash of their slots
};

ProbePieces::ProbePieces(const ProbeCode& code, std::span<const unwind::Range> ranges,
                         std::span<const u32> location_of_slot, std::span<const NameId> names,
                         unsigned threads, ContextSamples& samples) {
  std::vector<unwind::Range> sorted;
  auto not_before = [](const auto& a, const auto& b) { return a.key() >= b.key(); };
  if (std::ranges::adjacent_find(ranges, not_before) != ranges.end()) {
    sorted.assign(ranges.begin(), ranges.end());
    std::ranges::sort(sorted, {}, &unwind::Range::key);
    auto rest = std::ranges::unique(sorted, {}, &unwind::Range::key);
    sorted.erase(rest.begin(), rest.end());
    ranges = sorted;
  }
  Chunks chunks{ranges.size(), 1 << 12};
  std::vector<Share> shares(chunks.count());
  parallel_for(shares.size(), threads, [&](size_t i, unsigned) {
    for (const auto& range : chunks.of(ranges, i)) shares[i].add(range, code);
  });
  samples.list_locations.assign(location_of_slot.begin(), location_of_slot.end());
  for (u32 node = 0; node < names.size(); ++node)
    samples.lists.push_back({code.end_slot(node), node, names[node]});
  std::vector<Place> places{{0, 0, static_cast<u32>(names.size()), code.slots()}};
  for (const auto& share : shares) places.push_back(share.behind(places.back()));
  ranges_.resize(places.back().range);
  pieces_.resize(places.back().piece);
  samples.lists.resize(places.back().list);
  samples.list_locations.resize(places.back().slot);
  parallel_for(shares.size(), threads, [&](size_t i, unsigned) {
    take(std::exchange(shares[i], {}), places[i], location_of_slot, names, samples);
  });

  u32 blocks = ranges.empty() ? 0 : block_of(ranges.back().first) + 1;
  for (u32 block = 0, range = 0; block <= blocks; ++block) {
    while (range < ranges.size() && block_of(ranges[range].first) < block) ++range;
    first_.push_back(range);
  }
}

void ProbePieces::take(const Share& share, const Place& first,
                       std::span<const u32> location_of_slot, std::span<const NameId> names,
                       ContextSamples& samples) {
  auto range = ranges_.begin() + first.range;
  for (auto [key, begin, end] : share.ranges)
    *range++ = {key, first.piece + begin, first.piece + end};
  auto piece = pieces_.begin() + first.piece;
  for (const auto& own : share.pieces) {
    *piece = own;
    piece++->list += first.list;
  }
  auto list = samples.lists.begin() + first.list;
  for (size_t i = 0; i < share.nodes.size(); ++i)
    *list++ = {static_cast<u32>(first.slot) + share.list_ends[i], share.nodes[i],
               names[share.nodes[i]]};
  auto location = samples.list_locations.begin() + static_cast<i64>(first.slot);
  for (u32 slot : share.list_slots) *location++ = location_of_slot[slot];
}

std::span<const ProbePieces::Piece> ProbePieces::of(const unwind::Range& range) const {
  u32 block = block_of(range.first);
  auto some = std::span(ranges_).subspan(first_[block], first_[block + 1] - first_[block]);
  auto found = std::ranges::lower_bound(some, range.key(), {}, &Entry::key);
  return std::span(pieces_).subspan(found->first_piece, found->end_piece - found->first_piece);
}

}  // namespace pgokit::generate
