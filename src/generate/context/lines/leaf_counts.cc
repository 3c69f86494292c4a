#include "generate/context/lines/leaf_counts.h"

#include <algorithm>

#include "base/sort_and_sum.h"
#include "dwarf/discriminator.h"

namespace pgokit::generate {

using program::CodeIndex;

LeafCounts::LeafCounts(const program::Program& program, const LeafLines& lines,
                       const KnownCallees& callees, const LocationTable& locations)
    : code_(program.code()),
      discriminators_(program.discriminators()),
      lines_(lines),
      callees_(callees),
      locations_(locations),
      places_(locations.size()) {}

void LeafCounts::begin() {
  for (u32 location : seen_) places_[location] = {};
  seen_.clear();
  rows_.clear();
  targets_.clear();
  entries_.clear();
  total_ = 0;
}

void LeafCounts::count(std::span<const unwind::Range> ranges,
                       std::span<const unwind::Branch> branches) {
  begin();
  add_ranges(ranges);
  for (const auto& branch : branches)
    add_branch(branch, branch.from == program::no_code ? nullptr : lines_.at(branch.from));
  sort_and_sum(entries_, &Entry::key);
  for (u32 location : seen_) {
    const auto& [count, calls, seen] = places_[location];
    rows_.push_back({location, std::max(count, calls)});
  }
}

void LeafCounts::prefetch_places(std::span<const unwind::Range> ranges,
                                 std::span<const unwind::Branch> branches) const {
  for (const auto& range : ranges) {
    code_.prefetch(range.first);
    lines_.prefetch_place(range.first);
  }
  for (const auto& branch : branches) {
    callees_.prefetch(branch.to);
    if (branch.from != program::no_code) lines_.prefetch_place(branch.from);
  }
}

void LeafCounts::prefetch_parts(std::span<const unwind::Range> ranges,
                                std::span<const unwind::Branch> branches) const {
  for (const auto& range : ranges) lines_.prefetch_part(range.first);
  for (const auto& branch : branches)
    if (branch.from != program::no_code) lines_.prefetch_part(branch.from);
}

void LeafCounts::count_entries(std::span<const unwind::Branch> branches) {
  begin();
  for (const auto& branch : branches) add_branch(branch, nullptr);
  sort_and_sum(entries_, &Entry::key);
}

u64 LeafCounts::sum_of_lines() const {
  u64 sum = 0;
  for (u32 location : seen_) sum = add_saturated(sum, places_[location].count);
  return sum;
}

LeafCounts::FirstPlace LeafCounts::first() const {
  if (seen_.empty()) return {};
  u32 first = *std::ranges::min_element(seen_, {}, [&](u32 i) { return locations_[i]; });
  return {first, places_[first].count};
}

void LeafCounts::add_ranges(std::span<const unwind::Range> ranges) {
  auto overlaps = [](const unwind::Range& a, const unwind::Range& b) { return a.last >= b.first; };
  if (std::ranges::adjacent_find(ranges, overlaps) == ranges.end()) {
    for (const auto& range : ranges) add_piece(range.first, range.last, range.count);
    return;
  }
  overlapping_.clear();
  for (const auto& [first, last, count] : ranges)
    overlapping_.push_back({{static_cast<u32>(first)}, {static_cast<u32>(last)}, count});
  for (const auto& piece : disjoint_pieces(overlapping_))
    add_piece(CodeIndex(static_cast<u32>(piece.start.value)),
              CodeIndex(static_cast<u32>(piece.last.value)), piece.count);
}

void LeafCounts::add_piece(CodeIndex first, CodeIndex last, u64 count) {
  if (count == 0) return;
  auto at = code_.at_or_after(first);
  while (at != program::no_code && at <= last) {
    const auto* part = lines_.at(at);
    u64 end = part ? part->end : static_cast<u32>(at) + 1;
    u64 instructions = 0;
    for (; at != program::no_code && at <= last && static_cast<u32>(at) < end; ++instructions)
      at = code_.at_or_after(CodeIndex(static_cast<u32>(at) + code_.length(at)));
    if (!part) continue;
    total_ = add_saturated(total_, multiply_saturated(count, instructions));
    u32 factor = dwarf::duplication_factor(part->discriminator, discriminators_);
    u64& most = place(part->location).count;
    most = std::max(most, multiply_saturated(count, factor));
  }
}

void LeafCounts::add_branch(const unwind::Branch& branch, const LeafLines::Part* part) {
  auto callee = callees_.entered_at(branch.to);
  if (!callee) return;
  profile::LineLocation call_site;
  if (part) {
    call_site = {part->line_offset, part->discriminator};
    targets_.push_back({part->location, *callee, branch.count});
    u64& calls = place(part->location).calls;
    calls = add_saturated(calls, branch.count);
  }
  entries_.push_back({call_site, *callee, branch.count});
}

LeafCounts::Place& LeafCounts::place(u32 location) {
  auto& place = places_[location];
  if (!place.seen) {
    place.seen = true;
    seen_.push_back(location);
  }
  return place;
}

}  // namespace pgokit::generate
