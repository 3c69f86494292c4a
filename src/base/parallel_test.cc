#include "base/parallel.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pgokit
