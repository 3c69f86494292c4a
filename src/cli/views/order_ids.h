#pragma once

// `pgokit show DUMP --ids`: the logs of first runs, entry by entry, as the program wrote them.

#include "cli/views/instrumented.h"

namespace pgokit::cli {

// `options.program()`: a map, or the program with its map, which has the names of functions.
Status show_order_ids(const MappedFile& file, const ShowInstrumented& options, bool json);

}  // namespace pgokit::cli
