#pragma once

// All cores over numbered pieces of work.
//
//   parallel_for(pieces.size(), threads, [&](size_t piece, unsigned worker) { ... });
//
// Which worker gets which piece is not determined: results are kept per piece or per worker, and
// merged by an operation whose order does not show.

#include <functional>

#include "base/types.h"

namespace pgokit {

// The number of workers asked for by `threads`, where 0 means all cores.
unsigned worker_count(unsigned threads);

using RunPiece = std::function<void(size_t piece, unsigned worker)>;

void parallel_for(size_t pieces, unsigned threads, const RunPiece& run);

// `make` for all pieces on all cores, and `take` for one after the other in their order, each by
// the worker that made it: what is made may stand in a buffer of the worker, which is free again
// then.
void parallel_in_order(size_t pieces, unsigned threads, const RunPiece& make, const RunPiece& take);

}  // namespace pgokit
