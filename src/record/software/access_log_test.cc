#include "record/software/access_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace pgokit::record {
namespace {

namespace log = scratch::memory;

// A scratch area alone, at address 0.
class Area : public TargetMemory {
 public:
  Area() : bytes(log::size) {
    for (u32 n = 0; n < log::slots; ++n) set(n, n, u64{n} << 4);
  }
  void set(u32 slot, u32 number, u64 address) {
    std::memcpy(&bytes[log::addresses + slot * 8], &address, 8);
    std::memcpy(&bytes[log::numbers + slot * 4], &number, 4);
  }
  bool read(u64 address, void* to, size_t size) override {
    if (gone || address + size > bytes.size()) return false;
    std::memcpy(to, &bytes[address], size);
    return true;
  }
  bool write(u64, Bytes) override { return false; }
  bool write_words(std::span<const Word>) override { return false; }

  std::vector<u8> bytes;
  bool gone = false;
};

scratch::Header at_slot(u64 slot) {
  scratch::Header header{};
  header.logged = slot << 32 | 77;
  return header;
}

TEST(AccessLog, OfNoFullSlotIsEmpty) {
  Area area;
  auto drawn = AccessLog().draw(area, 0, at_slot(0));
  EXPECT_TRUE(drawn.drawn.empty());
  EXPECT_EQ(drawn.made, 0);
}

TEST(AccessLog, OfAProcessThatIsGoneIsEmpty) {
  Area area;
  area.gone = true;
  auto drawn = AccessLog().draw(area, 0, at_slot(5));
  EXPECT_TRUE(drawn.drawn.empty());
  EXPECT_EQ(drawn.made, 0);
}

TEST(AccessLog, GivesEverySlotOfAFewOnce) {
  Area area;
  auto drawn = AccessLog().draw(area, 0, at_slot(5));
  std::ranges::sort(drawn.drawn, {}, &LoggedAccess::number);
  ASSERT_EQ(drawn.drawn.size(), 5U);
  for (u32 n = 0; n < 5; ++n) {
    EXPECT_EQ(drawn.drawn[n].number, n);
    EXPECT_EQ(drawn.drawn[n].address, u64{n} << 4);
  }
  EXPECT_NEAR(drawn.made, 5 * 51.78, 0.1);
}

// Each slot has the same chance, and none comes twice.
TEST(AccessLog, DrawsAtRandom) {
  Area area;
  AccessLog draws;
  constexpr u32 slots = 1000, rounds = 2000;
  std::vector<u32> times(slots);
  for (u32 i = 0; i < rounds; ++i) {
    auto drawn = draws.draw(area, 0, at_slot(slots)).drawn;
    ASSERT_EQ(drawn.size(), AccessLog::most_drawn);
    std::ranges::sort(drawn, {}, &LoggedAccess::number);
    for (size_t n = 1; n < drawn.size(); ++n) ASSERT_NE(drawn[n - 1].number, drawn[n].number);
    for (const auto& one : drawn) ++times.at(one.number);
  }
  constexpr u32 mean = rounds * AccessLog::most_drawn / slots;  // 512, give or take 20
  for (u32 count : times) EXPECT_NEAR(count, mean, 110);
}

// When the counter has gone round, what it stands at is the oldest slot, and half overwritten.
TEST(AccessLog, HasWhatIsLeftAfterGoingRound) {
  Area area;
  constexpr u32 at = 100;
  AccessLog draws;
  u64 highest = 0, lowest = log::slots;
  for (int i = 0; i < 3000; ++i) {
    auto drawn = draws.draw(area, 0, at_slot(u64{3} * log::slots + at));
    EXPECT_NEAR(drawn.made, (3.0 * log::slots + at) * 4294967296.0 / log::step, 1);
    for (const auto& one : drawn.drawn) {
      ASSERT_NE(one.number, at);
      highest = std::max<u64>(highest, one.number), lowest = std::min<u64>(lowest, one.number);
    }
  }
  EXPECT_LT(lowest, 10U);
  EXPECT_GT(highest, log::slots - 10);
}

// A program that writes to the area itself.
TEST(AccessLog, TakesAnyCounter) {
  Area area;
  scratch::Header header{};
  header.logged = ~u64{0};
  EXPECT_EQ(AccessLog().draw(area, 0, header).drawn.size(), AccessLog::most_drawn);
}

}  // namespace
}  // namespace pgokit::record
