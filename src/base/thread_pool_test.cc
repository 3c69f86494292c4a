#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>

#include "base/parallel.h"
#include "base/types.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif

namespace pgokit {
namespace {

TEST(Helpers, NobodyIsCalledWhereNobodyIsWanted) {
  Helpers others(0, [](unsigned) { FAIL(); });
}

TEST(Helpers, EachHasANumberOfItsOwn) {
  std::atomic<unsigned> numbers = 0;
  std::latch all_came(3);
  {
    Helpers others(3, [&](unsigned worker) {
      numbers += 1u << worker;
      all_came.count_down();
    });
    all_came.wait();
  }
  EXPECT_EQ(numbers, 0b1110u);
}

TEST(Helpers, ThreadsAreUsedAgain) {
  std::set<std::thread::id> seen;
  for (int i = 0; i < 20; ++i) {
    std::latch came(1);
    Helpers others(1, [&](unsigned) {
      seen.insert(std::this_thread::get_id());
      came.count_down();
    });
    came.wait();
  }
  EXPECT_LE(seen.size(), 7u);  // as many as any test here wants at once
  EXPECT_FALSE(seen.contains(std::this_thread::get_id()));
}

TEST(ThreadPool, MoreWorkThanThreads) {
  std::atomic<u64> sum = 0;
  parallel_for(100000, 3, [&](size_t piece, unsigned) { sum += piece; });
  EXPECT_EQ(sum, u64{100000} * 99999 / 2);
}

TEST(ThreadPool, OneThreadWorksInTheCallersOwn) {
  auto caller = std::this_thread::get_id();
  parallel_for(100, 1, [&](size_t, unsigned worker) {
    EXPECT_EQ(worker, 0);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

// All at every level are busy when the next level asks.
TEST(ThreadPool, CallsWithinCallsEnd) {
  std::atomic<int> runs = 0;
  for (int round = 0; round < 20; ++round)
    parallel_for(4, 4, [&](size_t, unsigned) {
      parallel_for(4, 4, [&](size_t, unsigned) {
        parallel_in_order(
            8, 4, [](size_t, unsigned) {},
            [&](size_t, unsigned worker) {
              EXPECT_LT(worker, 4);
              ++runs;
            });
      });
    });
  EXPECT_EQ(runs, 20 * 4 * 4 * 8);
}

TEST(ThreadPool, CallersOfSeveralThreadsDoNotMeet) {
  std::atomic<int> runs = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i)
      callers.emplace_back([&] {
        for (int round = 0; round < 50; ++round)
          parallel_for(20, 4, [&](size_t, unsigned) { ++runs; });
      });
  }
  EXPECT_EQ(runs, 4 * 50 * 20);
}

// Both refuse threads in a child of several.
#if !__has_feature(thread_sanitizer) && !defined(PGOKIT_RUN_BY_QEMU)
TEST(ThreadPool, AChildOfForkHasThreadsOfItsOwn) {
  parallel_for(8, 4, [](size_t, unsigned) {});
  pid_t child = fork();
  if (child == 0) {
    std::latch came(1);
    {
      Helpers others(1, [&](unsigned) { came.count_down(); });
      came.wait();
    }
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}
#endif

}  // namespace
}  // namespace pgokit
