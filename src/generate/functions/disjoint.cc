#include "generate/functions/disjoint.h"

#include <algorithm>
#include <queue>

namespace pgokit::generate {
namespace {

// All that begins and ends at one address.
struct Boundary {
  u64 address = 0;
  bool begins = false, ends = false;
  u64 begin_count = 0, end_count = 0;
  bool zero_begins = false, zero_ends = false;
};

// Goes from boundary to boundary. Of ranges that ascend, those that are open are few.
class Boundaries {
 public:
  explicit Boundaries(const std::vector<RangeCount>& ascending)
      : next_(ascending.begin()), end_(ascending.end()) {
    for (const auto& range : ascending)  // damaged ones, which end before they start
      if (range.last < range.start) open_.push({range.last.value, range.count});
  }

  bool at_end() const { return next_ == end_ && open_.empty(); }
  Boundary take() {
    bool ends_first = !open_.empty() && (next_ == end_ || open_.top().last < next_->start.value);
    Boundary point{.address = ends_first ? open_.top().last : next_->start.value};
    for (; next_ != end_ && next_->start.value == point.address; ++next_) {
      point.begins = true;
      point.begin_count += next_->count;
      point.zero_begins |= next_->count == 0;
      if (next_->last >= next_->start) open_.push({next_->last.value, next_->count});
    }
    for (; !open_.empty() && open_.top().last == point.address; open_.pop()) {
      point.ends = true;
      point.end_count += open_.top().count;
      point.zero_ends |= open_.top().count == 0;
    }
    return point;
  }

 private:
  struct Open {
    u64 last, count;
    bool operator>(const Open& other) const { return last > other.last; }
  };

  std::vector<RangeCount>::const_iterator next_, end_;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace

std::vector<RangeCount> disjoint_pieces(const std::vector<RangeCount>& ranges) {
  if (!std::ranges::is_sorted(ranges, {}, &RangeCount::start)) {
    auto ascending = ranges;
    std::ranges::sort(ascending, {}, &RangeCount::start);
    return disjoint_pieces(ascending);
  }
  std::vector<RangeCount> pieces;
  u64 count = 0;
  i64 zero_depth = 0;
  bool open = false;  // a piece runs from `start`
  u64 start = 0;
  for (Boundaries boundaries(ranges); !boundaries.at_end();) {
    auto point = boundaries.take();
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
