#include "unwind/recursion.h"

#include <algorithm>

namespace pgokit::unwind {
namespace {

// Whether a block of `length` frames can be followed by itself: so many frames are equal to those
// `length` further on. Without branches, so that the compiler takes many at a time.
bool may_repeat(std::span<const u32> frames, size_t length) {
  size_t equal = 0;
  for (size_t i = 0; i + length < frames.size(); ++i) equal += frames[i] == frames[i + length];
  return equal >= length;
}

bool repeats(std::span<const u32> frames, size_t length) {
  if (!may_repeat(frames, length)) return false;
  size_t run = 0;
  for (size_t i = 0; i + length < frames.size() && run < length; ++i)
    run = frames[i] == frames[i + length] ? run + 1 : 0;
  return run == length;
}

// One pass from left to right. What is not yet looked at stays where it is; `kept` frames are
// final.
void remove_repeats(std::vector<u32>& frames, size_t length) {
  size_t kept = length;
  size_t first = 0, end = length;  // the part of the left block that is still to be compared
  auto keep = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) frames[kept++] = frames[i];
  };
  while (end + length <= frames.size()) {
    size_t differs = end;  // one behind the last frame that is not repeated
    while (differs > first && frames[differs - 1] == frames[differs - 1 + length]) --differs;
    bool repeated = differs == first;
    size_t next_end = repeated ? end + length : differs + length;
    if (!repeated) keep(end, next_end);
    first = end;
    end = next_end;
  }
  keep(end, frames.size());
  frames.resize(kept);
}

size_t longest_block(size_t frames, i64 longest) {
  return longest < 0 ? frames / 2 : std::min(frames / 2, static_cast<size_t>(longest));
}

}  // namespace

bool has_recursion(std::span<const u32> frames, i64 longest) {
  size_t limit = longest_block(frames.size(), longest);
  for (size_t length = 1; length <= limit; ++length)
    if (repeats(frames, length)) return true;
  return false;
}

void compress_recursion(std::vector<u32>& frames, i64 longest) {
  size_t limit = longest_block(frames.size(), longest);
  for (size_t length = 1; length <= limit; ++length) {
    if (!repeats(frames, length)) continue;
    remove_repeats(frames, length);
    limit = std::min(limit, frames.size() / 2);
  }
}

}  // namespace pgokit::unwind
