#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/thread_pool.h"

namespace pgokit {
namespace {

// Those that this process may run on: taskset and containers leave it fewer than the machine has.
unsigned allowed_processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    return static_cast<unsigned>(CPU_COUNT(&allowed));
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

unsigned worker_count(unsigned threads) {
  static const unsigned allowed = allowed_processors();
  return threads ? threads : allowed;
}

void parallel_for(size_t pieces, unsigned threads, const RunPiece& run) {
  auto workers = static_cast<unsigned>(std::min<size_t>(worker_count(threads), pieces));
  std::atomic<size_t> next{0};
  auto work = [&](unsigned worker) {
    for (size_t piece; (piece = next++) < pieces;) run(piece, worker);
  };
  if (workers == 0) return;
  Helpers others(workers - 1, work);
  work(0);
}

void parallel_in_order(size_t pieces, unsigned threads, const RunPiece& make,
                       const RunPiece& take) {
  std::atomic<size_t> turn{0};  // workers begin pieces in their order, so that of `turn` is begun
  parallel_for(pieces, threads, [&](size_t piece, unsigned worker) {
    make(piece, worker);
    for (size_t now; (now = turn.load()) != piece;) turn.wait(now);
    take(piece, worker);
    turn = piece + 1;
    turn.notify_all();
  });
}

}  // namespace pgokit
