#include "dwarf/overlay.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pgokit::dwarf {
namespace {

constexpr u32 none = RangeOverlay::none;
using Starts = std::vector<RangeOverlay::Start>;

Starts overlay(const std::vector<Range>& ranges) {
  RangeOverlay result;
  for (u32 i = 0; i < ranges.size(); ++i) result.add(ranges[i], i);
  return result.build();
}

u32 scope_at(const Starts& starts, u64 address) {
  u32 scope = none;
  for (auto start : starts)
    if (start.address <= address) scope = start.scope;
  return scope;
}

TEST(RangeOverlay, Nested) {
  EXPECT_EQ(
      overlay({{10, 50}, {20, 30}, {22, 24}, {30, 40}, {60, 70}, {60, 70}}),
      Starts(
          {{10, 0}, {20, 1}, {22, 2}, {24, 1}, {30, 3}, {40, 0}, {50, none}, {60, 5}, {70, none}}));
}

TEST(RangeOverlay, NotNested) {
  // The second cuts the first; the third replaces what begins with it and leaves the rest.
  EXPECT_EQ(overlay({{10, 20}, {15, 30}, {15, 18}}),
            Starts({{10, 0}, {15, 2}, {18, 1}, {30, none}}));
  // A larger range that comes later hides nothing that begins inside it.
  EXPECT_EQ(overlay({{20, 30}, {10, 40}}), Starts({{10, 1}, {20, 0}, {30, none}}));
  EXPECT_EQ(overlay({{10, 20}, {10, 40}}), Starts({{10, 1}, {40, none}}));
  EXPECT_EQ(overlay({{10, 20}, {30, 30}, {25, 5}}), Starts({{10, 0}, {20, none}, {25, none}}));
}

// The map alone, without clusters and without the sweep.
u32 by_llvm(const std::vector<Range>& ranges, u64 address) {
  std::map<u64, std::pair<u64, u32>> map;
  for (u32 i = 0; i < ranges.size(); ++i) {
    auto [begin, end] = ranges[i];
    if (begin == end) continue;
    auto at = map.upper_bound(begin);
    bool cuts = at != map.begin();
    if (cuts) cuts = begin < (--at)->second.first;
    if (cuts) {
      if (end < at->second.first) map[end] = at->second;
      if (begin > at->first) at->second.first = begin;
    }
    map[begin] = {end, i};
  }
  auto at = map.upper_bound(address);
  if (at == map.begin()) return none;
  --at;
  return address < at->second.first ? at->second.second : none;
}

TEST(RangeOverlay, AnyRangesAsLlvm) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same every time
  for (int round = 0; round < 3000; ++round) {
    std::vector<Range> ranges;
    for (auto n = random() % 12; n; --n) {
      u64 begin = random() % 60;
      ranges.push_back({begin, begin + random() % 20});
      if (random() % 2) continue;  // half of them inside the one before
      if (ranges.size() > 1) {
        auto outer = ranges[ranges.size() - 2];
        u64 size = std::max<u64>(outer.end - outer.begin, 1);
        u64 low = outer.begin + random() % size;
        ranges.back() = {low, low + random() % (outer.end - low + 1)};
      }
    }
    auto starts = overlay(ranges);
    for (u64 address = 0; address < 90; ++address)
      ASSERT_EQ(scope_at(starts, address), by_llvm(ranges, address)) << round << " " << address;
  }
}

}  // namespace
}  // namespace pgokit::dwarf
