#include "record/software/ticks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "record/software/tracer.h"
#include "record/system/clock.h"

namespace pgokit::record {
namespace {

constexpr u64 period_ns = 10'000'000;

TEST(TickMoments, AreOneInEachPeriod) {
  TickMoments moments(TickTimes::once_a_period, 1);
  u64 at = 0, rest = 0, in_first_half = 0;
  for (u64 n = 0; n < 10'000; ++n) {
    at += moments.next(period_ns, rest);
    ASSERT_EQ(at / period_ns, n);
    in_first_half += at % period_ns < period_ns / 2;
  }
  EXPECT_NEAR(static_cast<double>(in_first_half), 5'000, 300);
}

TEST(TickMoments, FollowAPeriodThatChanges) {
  TickMoments moments(TickTimes::once_a_period, 1);
  u64 rest = 0, at = 0;
  for (u64 n = 0; n < 100; ++n) at += moments.next(period_ns, rest);
  for (u64 n = 0; n < 100; ++n) at += moments.next(2 * period_ns, rest);
  EXPECT_NEAR(static_cast<double>(at), 300. * period_ns, 2. * period_ns);
}

TEST(TickMoments, WithoutMemoryAreAsFarApartOnAverage) {
  TickMoments moments(TickTimes::memoryless, 1);
  u64 at = 0, rest = 0, soon = 0;
  for (u64 n = 0; n < 10'000; ++n) {
    u64 wait = moments.next(period_ns, rest);
    at += wait, soon += wait < period_ns / 10;
  }
  EXPECT_NEAR(static_cast<double>(at) / period_ns, 10'000, 500);
  EXPECT_NEAR(static_cast<double>(soon), 950, 150);
}

TEST(TickSource, TellsWhenTicksAreExpectedAndWhenTheyCame) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, Tracer::tick_signal());
  sigprocmask(SIG_BLOCK, &blocked, &before);
  TickSource ticks(period_ns, TickTimes::once_a_period, Tracer::tick_signal());
  u64 begin = monotonic_ns();
  ticks.add(getpid(), gettid());
  if (ticks.polls()) GTEST_SKIP() << "perf events are not permitted here";
  auto expected = ticks.expected(begin);
  EXPECT_EQ(expected.tid, gettid());
  EXPECT_LE(expected.at_ns, monotonic_ns() + period_ns);
  EXPECT_EQ(ticks.expected(expected.at_ns + 1).tid, 0);
  EXPECT_EQ(ticks.ticked_at(gettid()), 0U);
  while (!ticks.has_ticked(gettid())) {
  }
  EXPECT_GT(ticks.ticked_at(gettid()), begin);
  EXPECT_LE(ticks.ticked_at(gettid()), monotonic_ns());
  ticks.remove(gettid());
  EXPECT_EQ(ticks.expected(0).tid, 0);
  timespec none{};
  while (sigtimedwait(&blocked, nullptr, &none) > 0) {
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace pgokit::record
