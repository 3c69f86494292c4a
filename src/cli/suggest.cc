#include "cli/suggest.h"

#include <algorithm>
#include <vector>

namespace pgokit::cli {
namespace {

// Letters that have to be added, left out, changed or swapped with their neighbour.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  constexpr size_t longest = 40;
  if (word.size() < 2 || word.size() > longest) return {};
  std::string_view best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (auto candidate : words) {
    bool begins = candidate.starts_with(word);
    size_t away = begins ? 0 : distance(word, candidate);
    if (away < least) least = away, best = candidate;
  }
  return best;
}

}  // namespace pgokit::cli
