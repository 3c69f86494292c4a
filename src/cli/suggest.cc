#include "cli/suggest.h"

#include <algorithm>

#include "base/edit_distance.h"

namespace pgokit::cli {

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  constexpr size_t longest = 40;
  if (word.size() < 2 || word.size() > longest) return {};
  std::string_view best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (auto candidate : words) {
    bool begins = candidate.starts_with(word);
    size_t away = begins ? 0 : edit_distance(word, candidate, true);
    if (away < least) least = away, best = candidate;
  }
  return best;
}

}  // namespace pgokit::cli
