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

TEST(Chunks, CoverEverythingOnce) {
  for (size_t size : {0u, 1u, 4u, 5u, 8u}) {
    std::vector<int> things(size);
    Chunks chunks{size, 4};
    EXPECT_EQ(chunks.count(), (size + 3) / 4);
    for (size_t piece = 0; piece < chunks.count(); ++piece)
      for (int& thing : chunks.of(things, piece)) ++thing;
    EXPECT_EQ(things, std::vector<int>(size, 1));
  }
}

TEST(ParallelEach, RunsEachNumberOnce) {
  for (unsigned threads : {1u, 3u}) {
    std::vector<int> runs(1001);
    parallel_each(runs.size(), 10, threads, [&](size_t i, unsigned) { ++runs[i]; });
    EXPECT_EQ(runs, std::vector<int>(1001, 1));
  }
  parallel_each(0, 10, 2, [](size_t, unsigned) { FAIL(); });
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
