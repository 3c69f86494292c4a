#include "analysis/function_match.h"

#include <algorithm>

namespace pgokit::analysis {
namespace {

using profile::LineLocation;

u32 distance(u32 a, u32 b) { return std::min((a - b) & 0xffff, (b - a) & 0xffff); }

// Code of no line (line 0) is counted from the function's first line in 16 bits like any other, so
// its place tells how far down the file the function is, and moves with every edit above it. In
// large files that place may lie among those of lines.
class NoLine {
 public:
  explicit NoLine(const FunctionShape& now) : line_zero_(now.line_zero), lines_(now.places) {
    if (line_zero_) std::erase_if(lines_, [&](LineLocation at) { return is_line_zero(at); });
  }

  bool is_line_zero(LineLocation now) const { return line_zero_ && now.line_offset == line_zero_; }
  // Of a place of the profile: it is nearer to that of no line than to any line of the function.
  bool has(LineLocation old) const {
    if (line_zero_ == 0) return false;
    auto after = std::ranges::lower_bound(lines_, LineLocation{old.line_offset, 0});
    u32 nearest = 0x10000;
    if (after != lines_.end()) nearest = distance(after->line_offset, old.line_offset);
    if (after != lines_.begin())
      nearest = std::min(nearest, distance((after - 1)->line_offset, old.line_offset));
    return distance(old.line_offset, line_zero_) < nearest;
  }
  LineLocation now(LineLocation old) const { return {line_zero_, old.discriminator}; }
  // The places of the function that have a line.
  std::span<const LineLocation> lines() const { return lines_; }

 private:
  u32 line_zero_;
  std::vector<LineLocation> lines_;
};

PlaceMap align_lines(const OldFunction& old, std::vector<Anchor> anchors, const FunctionShape& now,
                     const NoLine& no_line) {
  auto places = old.places;
  std::erase_if(places, [&](LineLocation at) { return no_line.has(at); });
  std::erase_if(anchors, [&](const Anchor& anchor) { return no_line.has(anchor.at); });
  auto now_anchors = now.anchors;
  std::erase_if(now_anchors, [&](const Anchor& anchor) { return no_line.is_line_zero(anchor.at); });
  return align_places(anchors, places, now_anchors, no_line.lines());
}

FunctionMatch match_lines(const OldFunction& old, std::vector<Anchor> anchors,
                          const FunctionShape& now) {
  FunctionMatch match;
  if (now.places.empty()) return match;  // nothing to compare with
  NoLine no_line(now);
  match.call_sites = anchors.size();
  match.call_sites_there = static_cast<u64>(std::ranges::count_if(anchors, [&](const Anchor& one) {
    return is_there(one, now.anchors) || no_line.has(one.at);
  }));
  bool all_there = match.call_sites_there == match.call_sites &&
                   std::ranges::all_of(old.places, [&](LineLocation at) {
                     return std::ranges::binary_search(now.places, at) || no_line.has(at);
                   });
  if (!all_there) {
    match.map = align_lines(old, std::move(anchors), now, no_line);
    match.changed = match.call_sites_there < match.call_sites || !match.map.is_identity();
  }
  for (auto at : old.places)
    if (no_line.has(at) && no_line.now(at) != at) match.map.set(at, no_line.now(at));
  return match;
}

}  // namespace

FunctionMatch match_function(const OldFunction& old, std::vector<Anchor> anchors,
                             const FunctionShape& now, bool probes) {
  if (!probes) return match_lines(old, std::move(anchors), now);
  FunctionMatch match;
  match.changed = old.checksum != now.checksum;
  if (match.changed) match.map = align_places(anchors, old.places, now.anchors, {});
  return match;
}

}  // namespace pgokit::analysis
