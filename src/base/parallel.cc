#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace pgokit {

unsigned worker_count(unsigned threads) {
  return threads ? threads : std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(size_t pieces, unsigned threads,
                  const std::function<void(size_t piece, unsigned worker)>& run) {
  auto workers = static_cast<unsigned>(std::min<size_t>(worker_count(threads), pieces));
  std::atomic<size_t> next{0};
  auto work = [&](unsigned worker) {
    for (size_t piece; (piece = next++) < pieces;) run(piece, worker);
  };
  std::vector<std::jthread> others;
  for (unsigned worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
  if (workers) work(0);
}

}  // namespace pgokit
