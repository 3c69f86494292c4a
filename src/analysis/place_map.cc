#include "analysis/place_map.h"

#include <algorithm>
#include <map>
#include <optional>

namespace pgokit::analysis {
namespace {

using profile::LineLocation;

constexpr u32 last_line_offset = 0xffff;

bool have_common(std::span<const NameId> a, std::span<const NameId> b) {
  auto left = a.begin();
  for (auto right = b.begin(); left != a.end() && right != b.end();) {
    if (*left == *right) return true;
    *left < *right ? ++left : ++right;
  }
  return false;
}

// How much speaks for two call sites being the same one: a name more than an indirect call, of
// which the program does not tell whom it calls. A jump through a table would fit too many.
u32 likeness(const Anchor& old, const Anchor& now) {
  return have_common(old.callees, now.callees) ? 2 : now.indirect ? 1 : 0;
}

i64 lines_between(const Anchor& old, const Anchor& now) {
  return i64{now.at.line_offset} - i64{old.at.line_offset};
}

// Beyond so many comparisons only equal beginnings and ends are aligned: no function that people
// wrote has thousands of call sites that all changed.
constexpr size_t most_comparisons = 1 << 22;

// For how many of the old call sites one that is like it is so many lines away. A profile has only
// the call sites that ran: which of several calls of one function that was is what the others tell.
std::map<i64, u32> frequent_distances(std::span<const Anchor> a, std::span<const Anchor> b) {
  std::map<i64, u32> count;
  for (const auto& old : a) {
    std::optional<i64> last;
    for (const auto& now : b) {
      i64 lines = lines_between(old, now);
      if (lines == last || likeness(old, now) == 0) continue;
      ++count[lines];
      last = lines;
    }
  }
  return count;
}

// The longest common sequence; of several, that with the most frequent distances.
void align_all(std::span<const Anchor> a, std::span<const Anchor> b, Alignment& result) {
  auto frequent = frequent_distances(a, b);
  size_t width = b.size() + 1;
  auto worth = [&](size_t i, size_t j) -> u64 {
    u32 like = likeness(a[i], b[j]);
    return like ? u64{like} << 32 | frequent[lines_between(a[i], b[j])] : 0;
  };
  std::vector<u64> best((a.size() + 1) * width);  // of the rests from [i] and [j] on
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;) {
      u64 without = std::max(best[(i + 1) * width + j], best[i * width + j + 1]);
      u64 alike = worth(i, j);
      best[i * width + j] =
          alike ? std::max(without, best[(i + 1) * width + j + 1] + alike) : without;
    }
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    u64 rest = best[i * width + j];
    if (rest == best[(i + 1) * width + j]) {
      ++i;
    } else if (rest == best[i * width + j + 1]) {
      ++j;
    } else {
      result.emplace_back(i, j);
      ++i, ++j;
    }
  }
}

// Equal beginnings and ends.
void align_ends(std::span<const Anchor> a, std::span<const Anchor> b, Alignment& result) {
  size_t front = 0, back = 0, shorter = std::min(a.size(), b.size());
  for (; front < shorter && likeness(a[front], b[front]); ++front)
    result.emplace_back(front, front);
  while (back < shorter - front && likeness(a[a.size() - 1 - back], b[b.size() - 1 - back])) ++back;
  for (; back > 0; --back) result.emplace_back(a.size() - back, b.size() - back);
}

LineLocation shifted(LineLocation place, i64 lines) {
  i64 last = std::max(place.line_offset, last_line_offset);
  place.line_offset = static_cast<u32>(std::clamp<i64>(i64{place.line_offset} + lines, 0, last));
  return place;
}

}  // namespace

LineLocation PlaceMap::at(LineLocation place) const {
  auto found =
      std::ranges::lower_bound(moved_, place, {}, [](const auto& pair) { return pair.first; });
  return found != moved_.end() && found->first == place ? found->second : place;
}

bool is_there(const Anchor& old, std::span<const Anchor> now) {
  auto found = std::ranges::lower_bound(now, old.at, {}, &Anchor::at);
  return found != now.end() && found->at == old.at && (likeness(old, *found) || found->jump);
}

void PlaceMap::set(LineLocation from, LineLocation to) {
  auto at = std::ranges::lower_bound(moved_, from, {}, [](const auto& pair) { return pair.first; });
  moved_.insert(at, {from, to});
}

Alignment align_anchors(std::span<const Anchor> a, std::span<const Anchor> b) {
  Alignment result;
  if (a.empty() || b.empty()) return result;
  if (a.size() <= most_comparisons / b.size())
    align_all(a, b, result);
  else
    align_ends(a, b, result);
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
    i64 line = i64{place.line_offset} + by;
    if (line < 0 || line > last_line_offset) return never;
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

}  // namespace

PlaceMap align_places(std::span<const Anchor> old_anchors, std::span<const LineLocation> old_places,
                      std::span<const Anchor> new_anchors,
                      std::span<const LineLocation> new_places) {
  PlaceMap map;
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
  return map;
}

}  // namespace pgokit::analysis
