#include "record/software/attention.h"

#include <gtest/gtest.h>

namespace pgokit::record {
namespace {

constexpr u64 ms = 1'000'000;

TEST(Attention, IsFullAsLongAsTheRecorderHardlyWaitsForAProcessor) {
  Attention attention(2, ms / 2);
  EXPECT_TRUE(attention.is_full());
  u64 awake_ns = attention.awake_ns();
  attention.update({.own = {.used_ns = 10 * ms, .waited_ns = 1 * ms}});
  EXPECT_TRUE(attention.is_full());
  attention.update({.own = {.used_ns = 20 * ms, .waited_ns = 11 * ms}});
  EXPECT_FALSE(attention.is_full());
  EXPECT_LT(attention.awake_ns(), awake_ns);
  attention.update({.own = {.used_ns = 30 * ms, .waited_ns = 11 * ms}});
  EXPECT_FALSE(attention.is_full()) << "what was a moment ago matters";
  attention.update({.own = {.used_ns = 40 * ms, .waited_ns = 11 * ms}});
  attention.update({.own = {.used_ns = 50 * ms, .waited_ns = 11 * ms}});
  EXPECT_TRUE(attention.is_full());
  EXPECT_EQ(attention.awake_ns(), awake_ns);
}

TEST(Attention, IsFullWhereAnotherProcessorIdles) {
  Attention attention(2, ms / 2);
  constexpr u64 boot = 1'000'000 * ms;  // what came before does not matter
  attention.update({{.used_ns = 10 * ms, .waited_ns = 0}, boot, boot});
  attention.update({{.used_ns = 20 * ms, .waited_ns = 10 * ms}, boot + 40 * ms, boot + 100 * ms});
  EXPECT_TRUE(attention.is_full());
  attention.update({{.used_ns = 30 * ms, .waited_ns = 20 * ms}, boot + 40 * ms, boot + 200 * ms});
  EXPECT_FALSE(attention.is_full());
}

TEST(Attention, IsNotPaidWithTheOnlyProcessor) {
  Attention attention(1, ms / 2);
  attention.update({.own = {.used_ns = 10 * ms, .waited_ns = 0}});
  EXPECT_FALSE(attention.is_full());
  EXPECT_EQ(attention.awake_ns(), 0U);
}

}  // namespace
}  // namespace pgokit::record
