#pragma once

// How counts of branches are written into a feature, and read: ULEB128 numbers, and places by their
// distance from the one before, as those that are sorted lie close together.

#include <string>
#include <string_view>
#include <utility>

#include "base/cursor.h"
#include "base/leb128.h"
#include "perf/branch_counts.h"

namespace pgokit::perf {

class CountEncoder {
 public:
  void number(u64 value) {
    put_uleb128(value, [&](u8 one) { text_.push_back(static_cast<char>(one)); });
  }
  void bytes(std::string_view bytes) {
    number(bytes.size());
    text_.append(bytes);
  }
  void place(const BranchCounts::Place& place, u64& before) {
    number(place.file == BranchCounts::Place::nowhere ? 0 : u64{place.file} + 1);
    auto distance = static_cast<i64>(place.offset - before);
    number(static_cast<u64>(distance) << 1 ^ static_cast<u64>(distance >> 63));
    before = place.offset;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class CountDecoder {
 public:
  explicit CountDecoder(Bytes bytes) : in_(bytes) {}

  u64 number() { return in_.uleb128(); }
  Bytes bytes() { return in_.bytes(number()); }
  // Of one of `files` files, or of none.
  BranchCounts::Place place(u64& before, size_t files) {
    u64 file = number(), distance = number();
    before += distance >> 1 ^ (0 - (distance & 1));
    require(file <= files);
    return {.file = static_cast<u32>(file) - 1, .offset = before};
  }
  // False: the bytes are damaged, now and from here on.
  void require(bool condition) { as_required_ &= condition; }
  bool ok() const { return in_.ok() && as_required_; }

 private:
  Cursor in_;
  bool as_required_ = true;
};

}  // namespace pgokit::perf
