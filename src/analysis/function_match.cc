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

// What there is of a function of the profile in one of the program, by lines.
class LineMatch {
 public:
  LineMatch(const OldFunction& old, std::vector<Anchor> anchors, const FunctionShape& now,
            const ProgramShape& program)
      : old_(old), anchors_(std::move(anchors)), now_(now), no_line_(now), program_(program) {}

  FunctionMatch match() const {
    FunctionMatch match;
    match.call_sites = anchors_.size();
    match.call_sites_there = call_sites_there({});
    if (match.call_sites_there < anchors_.size() || places_there({}) < old_.places.size()) {
      auto map = align();
      u64 gain = found(map) - std::min(found({}), found(map));
      bool better = gain > 0;
      // Of hundreds of equal calls some are lost, and seem to be where their neighbours are.
      bool much = gain * 50 > anchors_.size() + old_.places.size();
      match.changed = much || calls_another();
      if (better) match.map = std::move(map);
    }
    for (auto at : old_.places)
      if (no_line_.has(at) && no_line_.now(at) != at) match.map.set(at, no_line_.now(at));
    return match;
  }

 private:
  u64 call_sites_there(const PlaceMap& map) const {
    u64 count = 0;
    for (auto anchor : anchors_) {
      bool nowhere = no_line_.has(anchor.at);
      anchor.at = map.at(anchor.at);
      count += nowhere || there(anchor);
    }
    return count;
  }
  u64 places_there(const PlaceMap& map) const {
    return static_cast<u64>(std::ranges::count_if(old_.places, [&](LineLocation at) {
      return no_line_.has(at) || std::ranges::binary_search(now_.places, map.at(at));
    }));
  }
  // Compilers drop places and calls: what is not found at all says nothing.
  u64 found(const PlaceMap& map) const { return call_sites_there(map) + places_there(map); }

  bool there(const Anchor& anchor) const {
    return is_there(anchor, now_.anchors) || (anchor.chain && is_tail_called(anchor));
  }
  // Chains of calls lack the functions that left by a jump: at the call site the program calls one
  // that goes on to the callee.
  bool is_tail_called(const Anchor& anchor) const {
    constexpr size_t most_asked = 64;
    auto found = std::ranges::lower_bound(now_.anchors, anchor.at, {}, &Anchor::at);
    if (found == now_.anchors.end() || found->at != anchor.at) return false;
    auto asked = found->callees;
    for (size_t i = 0; i < asked.size(); ++i) {
      const auto& callee = program_.functions[static_cast<size_t>(asked[i])];
      if (callee.jumps) return true;
      for (NameId next : callee.tail_callees) {
        if (std::ranges::binary_search(anchor.callees, next)) return true;
        if (asked.size() < most_asked && std::ranges::find(asked, next) == asked.end())
          asked.push_back(next);
      }
    }
    return false;
  }

  // Of a place of the profile: others are called there, and not where a function that is gone was
  // called, which may only have been renamed.
  bool calls_another() const {
    auto is_known = [&](NameId callee) {  // those that are gone have numbers beyond
      return static_cast<size_t>(callee) < program_.names.size();
    };
    return std::ranges::any_of(anchors_, [&](const Anchor& anchor) {
      if (no_line_.has(anchor.at) || there(anchor)) return false;
      if (std::ranges::none_of(anchor.callees, is_known)) return false;
      auto found = std::ranges::lower_bound(now_.anchors, anchor.at, {}, &Anchor::at);
      return found != now_.anchors.end() && found->at == anchor.at;
    });
  }

  PlaceMap align() const {
    auto places = old_.places;
    std::erase_if(places, [&](LineLocation at) { return no_line_.has(at); });
    auto anchors = anchors_;
    std::erase_if(anchors, [&](const Anchor& anchor) { return no_line_.has(anchor.at); });
    auto now = now_.anchors;
    std::erase_if(now, [&](const Anchor& anchor) { return no_line_.is_line_zero(anchor.at); });
    return align_places(anchors, places, now, no_line_.lines());
  }

  const OldFunction& old_;
  std::vector<Anchor> anchors_;
  const FunctionShape& now_;
  NoLine no_line_;
  const ProgramShape& program_;
};

// All that is on a line is one place.
FunctionShape by_lines_alone(FunctionShape shape) {
  for (auto& place : shape.places) place.discriminator = 0;
  auto same = std::ranges::unique(shape.places);
  shape.places.erase(same.begin(), same.end());
  std::vector<Anchor> anchors;
  for (auto& anchor : shape.anchors) {
    anchor.at.discriminator = 0;
    if (anchors.empty() || anchors.back().at != anchor.at) {
      anchors.push_back(std::move(anchor));
      continue;
    }
    auto& all = anchors.back();
    all.indirect |= anchor.indirect;
    all.jump |= anchor.jump;
    all.callees.insert(all.callees.end(), anchor.callees.begin(), anchor.callees.end());
    std::ranges::sort(all.callees);
  }
  shape.anchors = std::move(anchors);
  return shape;
}

}  // namespace

FunctionMatch match_function(const OldFunction& old, std::vector<Anchor> anchors,
                             const FunctionShape& now, const ProgramShape& program,
                             bool discriminators) {
  if (!program.has_probes) {
    if (now.places.empty()) return {};
    if (discriminators) return LineMatch(old, std::move(anchors), now, program).match();
    return LineMatch(old, std::move(anchors), by_lines_alone(now), program).match();
  }
  FunctionMatch match;
  match.changed = old.checksum != now.checksum;
  if (match.changed) match.map = align_places(anchors, old.places, now.anchors, {});
  return match;
}

}  // namespace pgokit::analysis
