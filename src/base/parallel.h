#pragma once

// All cores over numbered pieces of work.
//
//   parallel_for(pieces.size(), threads, [&](size_t piece, unsigned worker) { ... });
//   parallel_each(items.size(), 512, threads, [&](size_t item, unsigned worker) { ... });
//   Chunks chunks{items.size(), 512};                        // for a result per piece
//   for (size_t piece = 0; piece < chunks.count(); ++piece) use(chunks.of(items, piece));
//
// Which worker gets which piece is not determined: results are kept per piece or per worker, and
// merged by an operation whose order does not show.

#include <algorithm>
#include <functional>
#include <span>

#include "base/types.h"

namespace pgokit {

// The number of workers asked for by `threads`, where 0 means all cores.
unsigned worker_count(unsigned threads);

using RunPiece = std::function<void(size_t piece, unsigned worker)>;

void parallel_for(size_t pieces, unsigned threads, const RunPiece& run);

// Numbers from 0 to `size` in pieces of `at_once`, the last one smaller: enough to be worth handing
// over, and few enough that no worker is the last for long.
struct Chunks {
  size_t size, at_once;

  size_t count() const { return (size + at_once - 1) / at_once; }
  size_t begin(size_t piece) const { return piece * at_once; }
  size_t end(size_t piece) const { return std::min(size, (piece + 1) * at_once); }
  // That part of `things`.
  template <class Things>
  auto of(Things& things, size_t piece) const {
    return std::span(things).subspan(begin(piece), end(piece) - begin(piece));
  }
};

template <class Run>
void parallel_each(size_t size, size_t at_once, unsigned threads, const Run& run) {
  Chunks chunks{size, at_once};
  parallel_for(chunks.count(), threads, [&](size_t piece, unsigned worker) {
    for (size_t i = chunks.begin(piece); i < chunks.end(piece); ++i) run(i, worker);
  });
}

// `make` for all pieces on all cores, and `take` for one after the other in their order, each by
// the worker that made it: what is made may stand in a buffer of the worker, which is free again
// then.
void parallel_in_order(size_t pieces, unsigned threads, const RunPiece& make, const RunPiece& take);

}  // namespace pgokit
