#include "base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace pgokit {
namespace {

TEST(ParallelFor, RunsEveryPieceOnce) {
  for (unsigned threads : {0u, 1u, 2u, 7u}) {
    std::vector<int> runs(1000);
    parallel_for(runs.size(), threads, [&](size_t piece, unsigned worker) {
      EXPECT_LT(worker, worker_count(threads));
      ++runs[piece];
    });
    EXPECT_EQ(runs, std::vector<int>(1000, 1));
  }
  parallel_for(0, 2, [](size_t, unsigned) { FAIL(); });
}

TEST(ParallelInOrder, TakesPiecesInOrderFromTheWorkerThatMadeThem) {
  for (unsigned threads : {0u, 1u, 2u, 7u}) {
    std::vector<size_t> made(worker_count(threads)), taken;
    parallel_in_order(
        1000, threads, [&](size_t piece, unsigned worker) { made[worker] = piece; },
        [&](size_t piece, unsigned worker) {
          EXPECT_EQ(made[worker], piece);
          taken.push_back(piece);
        });
    ASSERT_EQ(taken.size(), 1000u);
    EXPECT_TRUE(std::ranges::is_sorted(taken));
  }
}

}  // namespace
}  // namespace pgokit
