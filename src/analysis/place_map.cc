#include "analysis/place_map.h"

#include <algorithm>

namespace pgokit::analysis {
namespace {

using profile::LineLocation;

bool alike(const Anchor& a, const Anchor& b) {
  auto left = a.callees.begin(), right = b.callees.begin();
  while (left != a.callees.end() && right != b.callees.end()) {
    if (*left == *right) return true;
    *left < *right ? ++left : ++right;
  }
  // what an indirect call was seen to call is not in the program
  return (a.indirect && (b.indirect || b.callees.size() > 1)) ||
         (b.indirect && a.callees.size() > 1);
}

// Beyond so many comparisons only equal beginnings and ends are aligned: no function that people
// wrote has thousands of call sites that all changed.
constexpr size_t most_comparisons = 1 << 22;

void align_middle(std::span<const Anchor> a, std::span<const Anchor> b, u32 offset_a, u32 offset_b,
                  Alignment& result) {
  if (a.empty() || b.empty() || a.size() > most_comparisons / b.size()) return;
  size_t width = b.size() + 1;
  std::vector<u32> longest((a.size() + 1) * width);  // of the rests from [i] and [j] on
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;)
      longest[i * width + j] =
          alike(a[i], b[j]) ? longest[(i + 1) * width + j + 1] + 1
                            : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (alike(a[i], b[j])) {
      result.emplace_back(offset_a + i, offset_b + j);
      ++i, ++j;
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
}

LineLocation shifted(LineLocation place, i64 lines) {
  i64 line = i64{place.line_offset} + lines;
  place.line_offset = line < 0 ? 0 : static_cast<u32>(line);
  return place;
}

}  // namespace

LineLocation PlaceMap::at(LineLocation place) const {
  auto found =
      std::ranges::lower_bound(moved_, place, {}, [](const auto& pair) { return pair.first; });
  return found != moved_.end() && found->first == place ? found->second : place;
}

Alignment align_anchors(std::span<const Anchor> a, std::span<const Anchor> b) {
  Alignment result;
  size_t front = 0, shorter = std::min(a.size(), b.size());
  while (front < shorter && alike(a[front], b[front])) {
    result.emplace_back(front, front);
    ++front;
  }
  size_t back = 0;
  while (back < shorter - front && alike(a[a.size() - 1 - back], b[b.size() - 1 - back])) ++back;
  align_middle(a.subspan(front, a.size() - front - back), b.subspan(front, b.size() - front - back),
               static_cast<u32>(front), static_cast<u32>(front), result);
  for (; back > 0; --back) result.emplace_back(a.size() - back, b.size() - back);
  return result;
}

namespace {

// A call site that was found again.
struct Fixed {
  LineLocation from, to;
  i64 lines() const { return i64{to.line_offset} - i64{from.line_offset}; }
};

// By how many lines each of `places` moves: in halves.
std::vector<i64> halves(std::span<const LineLocation> places, const Fixed& before,
                        const Fixed* behind) {
  std::vector<i64> lines(places.size(), before.lines());
  if (!behind) return lines;
  for (size_t i = 0; i < places.size(); ++i) {
    u32 line = places[i].line_offset;  // of one line with a call site: goes with it
    bool second = i >= (places.size() + 1) / 2 || line == behind->from.line_offset;
    if (second && line != before.from.line_offset) lines[i] = behind->lines();
  }
  return lines;
}

// The numbers of lines worth trying, the call sites' own first.
std::vector<i64> candidates(std::span<const LineLocation> places, std::span<const LineLocation> now,
                            const Fixed& before, const Fixed* behind) {
  constexpr size_t most = 16;
  std::vector<i64> result{before.lines()};
  if (behind && behind->lines() != before.lines()) result.push_back(behind->lines());
  if (places.size() * now.size() > most_comparisons) return result;
  std::vector<i64> differences;
  for (auto place : places)
    for (auto to : now)
      if (place.discriminator == to.discriminator)
        differences.push_back(i64{to.line_offset} - i64{place.line_offset});
  std::ranges::sort(differences);
  std::vector<std::pair<size_t, i64>> frequent;
  for (size_t i = 0; i < differences.size();) {
    size_t end = i;
    while (end < differences.size() && differences[end] == differences[i]) ++end;
    frequent.emplace_back(end - i, differences[i]);
    i = end;
  }
  std::ranges::stable_sort(frequent, std::greater<>(), [](const auto& one) { return one.first; });
  for (auto [count, lines] : frequent) {
    if (result.size() >= most) break;
    if (std::ranges::find(result, lines) == result.end()) result.push_back(lines);
  }
  return result;
}

// The same by what is there now: most places found, few changes of the number on the way.
std::vector<i64> best_moves(std::span<const LineLocation> places, std::span<const LineLocation> now,
                            const Fixed& before, const Fixed* behind) {
  constexpr i64 found = 2, found_line = 1, change = -3, never = -(i64{1} << 40);
  auto lines = candidates(places, now, before, behind);
  size_t n = lines.size();
  auto worth = [&](LineLocation place, i64 by) {
    if (i64{place.line_offset} + by < 0) return never;
    LineLocation to = shifted(place, by);
    auto at = std::ranges::lower_bound(now, LineLocation{to.line_offset, 0});
    if (at == now.end() || at->line_offset != to.line_offset) return i64{0};
    return std::ranges::binary_search(now, to) ? found : found_line;
  };
  std::vector<i64> score(n, change);
  score[0] = 0;  // moving on with the call site in front
  std::vector<u8> from(places.size() * n);
  for (size_t i = 0; i < places.size(); ++i) {
    std::vector<i64> next(n);
    for (size_t to = 0; to < n; ++to) {
      size_t best = to;
      for (size_t k = 0; i > 0 && k < n; ++k) {
        bool in_order =
            i64{places[i - 1].line_offset} + lines[k] <= i64{places[i].line_offset} + lines[to];
        if (k != to && in_order && score[k] + change > score[best] + (best == to ? 0 : change))
          best = k;
      }
      from[i * n + to] = static_cast<u8>(best);
      next[to] = score[best] + (best == to ? 0 : change) + worth(places[i], lines[to]);
    }
    score = std::move(next);
  }
  if (behind)
    for (size_t k = 0; k < n; ++k)
      if (lines[k] != behind->lines()) score[k] += change;
  auto state = static_cast<size_t>(std::ranges::max_element(score) - score.begin());
  std::vector<i64> moves(places.size());
  for (size_t i = places.size(); i-- > 0;) {
    moves[i] = lines[state];
    state = from[i * n + state];
  }
  return moves;
}

// Code of no line has the distance to line 0, in 16 bits: no place that moves with others.
std::span<const LineLocation> with_lines(std::span<const LineLocation> places) {
  auto end = std::ranges::lower_bound(places, LineLocation{0x8000, 0});
  return {places.begin(), end};
}

}  // namespace

PlaceMap align_places(std::span<const Anchor> old_anchors, std::span<const LineLocation> old_places,
                      std::span<const Anchor> new_anchors,
                      std::span<const LineLocation> new_places) {
  PlaceMap map;
  std::vector<std::pair<LineLocation, LineLocation>> nowhere;
  if (!new_places.empty()) {
    auto old_lines = with_lines(old_places), new_lines = with_lines(new_places);
    if (old_lines.size() < old_places.size() && new_lines.size() < new_places.size())
      for (auto place : old_places.subspan(old_lines.size()))
        nowhere.emplace_back(
            place, LineLocation{new_places[new_lines.size()].line_offset, place.discriminator});
    old_places = old_lines, new_places = new_lines;
  }
  map.anchors = static_cast<u32>(old_anchors.size());
  auto alignment = align_anchors(old_anchors, new_anchors);
  map.matched = static_cast<u32>(alignment.size());
  std::vector<Fixed> fixed{{{}, {}}};  // the beginning of the function is where it was
  for (auto [i, j] : alignment)
    if (old_anchors[i].at != LineLocation{})
      fixed.push_back({old_anchors[i].at, new_anchors[j].at});
  for (size_t k = 0; k < fixed.size(); ++k) {
    const Fixed* behind = k + 1 < fixed.size() ? &fixed[k + 1] : nullptr;
    auto begin = std::ranges::lower_bound(old_places, fixed[k].from);
    auto end = behind ? std::ranges::lower_bound(old_places, behind->from) : old_places.end();
    bool on_call_site = k > 0 || new_places.empty();
    if (begin != end && *begin == fixed[k].from && on_call_site) {
      map.moved_.emplace_back(*begin, fixed[k].to);
      map.identity_ &= fixed[k].from == fixed[k].to;
      ++begin;
    }
    std::span<const LineLocation> between(begin, end);
    auto now_begin = std::ranges::lower_bound(new_places, fixed[k].to);
    auto now_end = behind ? std::ranges::lower_bound(new_places, behind->to) : new_places.end();
    auto moves = new_places.empty() || now_end < now_begin
                     ? halves(between, fixed[k], behind)
                     : best_moves(between, {now_begin, now_end}, fixed[k], behind);
    for (size_t i = 0; i < between.size(); ++i) {
      map.moved_.emplace_back(between[i], shifted(between[i], moves[i]));
      map.identity_ &= moves[i] == 0;
    }
  }
  map.moved_.insert(map.moved_.end(), nowhere.begin(), nowhere.end());
  return map;
}

}  // namespace pgokit::analysis
