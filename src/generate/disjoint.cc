#include "generate/disjoint.h"

#include <algorithm>

namespace pgokit::generate {
namespace {

// All that begins and ends at one address.
struct Boundary {
  u64 address = 0;
  bool begins = false, ends = false;
  u64 begin_count = 0, end_count = 0;
  bool zero_begins = false, zero_ends = false;
};

std::vector<Boundary> boundaries(const std::vector<RangeCount>& ranges) {
  std::vector<Boundary> points;
  points.reserve(2 * ranges.size());
  for (const auto& range : ranges) {
    bool zero = range.count == 0;
    points.push_back({range.start.value, true, false, range.count, 0, zero, false});
    points.push_back({range.last.value, false, true, 0, range.count, false, zero});
  }
  std::ranges::sort(points, {}, &Boundary::address);
  size_t kept = 0;
  for (const auto& point : points) {
    if (kept == 0 || points[kept - 1].address != point.address) {
      points[kept++] = point;
      continue;
    }
    auto& same = points[kept - 1];
    same.begins |= point.begins, same.ends |= point.ends;
    same.begin_count += point.begin_count, same.end_count += point.end_count;
    same.zero_begins |= point.zero_begins, same.zero_ends |= point.zero_ends;
  }
  points.resize(kept);
  return points;
}

}  // namespace

std::vector<RangeCount> disjoint_pieces(const std::vector<RangeCount>& ranges) {
  std::vector<RangeCount> pieces;
  u64 count = 0;
  i64 zero_depth = 0;
  bool open = false;  // a piece runs from `start`
  u64 start = 0;
  for (const auto& point : boundaries(ranges)) {
    if (point.begins) {
      if (open) pieces.push_back({{start}, {point.address - 1}, count});
      count += point.begin_count;
      zero_depth += point.zero_begins;
      start = point.address;
      open = true;
    }
    if (point.ends) {
      if (open) pieces.push_back({{start}, {point.address}, count});
      count -= point.end_count;
      zero_depth -= point.zero_ends;
      start = point.address + 1;
      open = count != 0 || zero_depth != 0;
    }
  }
  return pieces;
}

}  // namespace pgokit::generate
