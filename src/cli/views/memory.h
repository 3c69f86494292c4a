#pragma once

// pgokit show for recordings with data addresses: the hot data.

#include <string>

#include "base/result.h"
#include "perf/recording.h"
#include "report/json.h"
#include "samples/memory_use.h"

namespace pgokit::cli {

struct ShowMemory {
  std::string program;  // the file of one of the programs; others are looked for where they were
  bool mangled = false;
  u64 top = 20;  // of so many; 0: all
};

bool has_accesses(const perf::Recording& recording);
Result<samples::MemoryUse> read_memory(const perf::Recording& recording, const ShowMemory& options);
std::string memory_text(const samples::MemoryUse& use, const ShowMemory& options);
report::Json memory_json(const samples::MemoryUse& use);

}  // namespace pgokit::cli
