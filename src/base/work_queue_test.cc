#include "base/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>

namespace pgokit {
namespace {

TEST(WorkQueue, DoesEverythingOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    std::vector<int> done(1000);
    WorkQueue<int> queue(threads, [&](int& job, unsigned) { ++done[static_cast<size_t>(job)]; });
    for (int i = 0; i < 1000; ++i) queue.push(i);
    queue.finish();
    EXPECT_EQ(done, std::vector<int>(1000, 1)) << threads;
  }
}

TEST(WorkQueue, WorkersAreNumbered) {
  std::vector<int> done(3);
  WorkQueue<int> queue(3, [&](int&, unsigned worker) { ++done.at(worker); });
  for (int i = 0; i < 100; ++i) queue.push(i);
  queue.finish();
  EXPECT_EQ(done[0] + done[1] + done[2], 100);
}

TEST(WorkQueue, NothingToDo) {
  WorkQueue<int> queue(2, [](int&, unsigned) { FAIL(); });
  queue.finish();
}

TEST(WorkQueue, WhatWasNotFinishedIsDropped) {
  std::atomic<int> begun = 0;
  {
    WorkQueue<int> queue(2, [&](int&, unsigned) { ++begun; });
    for (int i = 0; i < 10; ++i) queue.push(i);
  }
  EXPECT_LE(begun, 10);
}

}  // namespace
}  // namespace pgokit
