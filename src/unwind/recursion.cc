#include "unwind/recursion.h"

#include <algorithm>

namespace pgokit::unwind {
namespace {

// Whether a block of `length` repeats at once anywhere: that many equal pairs in a row.
bool repeats(const std::vector<u32>& frames, size_t length) {
  size_t equal = 0;
  for (size_t i = length; i < frames.size(); ++i) {
    equal = frames[i] == frames[i - length] ? equal + 1 : 0;
    if (equal == length) return true;
  }
  return false;
}

void remove_repetitions(std::vector<u32>& frames, size_t length) {
  size_t kept = length;
  for (size_t next = length; next < frames.size();) {
    auto block = frames.begin() + static_cast<std::ptrdiff_t>(next);
    auto last = frames.begin() + static_cast<std::ptrdiff_t>(kept - length);
    bool fits = frames.size() - next >= length;
    if (fits && std::equal(block, block + static_cast<std::ptrdiff_t>(length), last))
      next += length;
    else
      frames[kept++] = frames[next++];
  }
  frames.resize(kept);
}

}  // namespace

void compress_recursion(std::vector<u32>& frames, i64 longest) {
  size_t bound = frames.size() / 2;
  if (longest >= 0) bound = std::min(bound, static_cast<size_t>(longest));
  for (size_t length = 1; length <= bound; ++length) {
    if (!repeats(frames, length)) continue;
    remove_repetitions(frames, length);
    bound = std::min(bound, frames.size() / 2);
  }
}

}  // namespace pgokit::unwind
