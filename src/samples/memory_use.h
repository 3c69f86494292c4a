#pragma once

// Which data the sampled accesses of a recording were made to: symbols of programs and libraries,
// stacks, heaps and the rest of memory.
//
//   auto use = memory_use(recording, [&](std::string_view path, std::string_view build_id) {
//     return opened(path, build_id);                          // null: it is not here
//   });
//   for (const DataUse& data : use.data) ...                  // most accesses first
//
// For recordings with data addresses, of `pgokit record --memory` or `perf mem record`; samples that
// are neither loads nor stores are left out.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "object/file.h"
#include "perf/recording.h"

namespace pgokit::samples {

struct AccessSums {
  u64 samples = 0;
  u64 accesses = 0;           // for which the samples stand: their periods
  u64 loads = 0, stores = 0;  // of these; what reads and writes is both

  void add(const AccessSums& other);
};

struct DataUse {
  enum class Kind : u8 {
    symbol,
    unnamed,  // in a section of a file, where it has no symbol
    file,     // mapped as data, or a program that is not at hand
    stack,
    heap,
    anonymous,  // in no file: of mmap, of threads
    special,    // of the kernel: [vdso]
    unknown,    // in no mapping of the recording
  };
  Kind kind = Kind::unknown;
  std::string symbol = {};   // as in the file
  std::string section = {};  // of symbols and unnamed data
  std::string file = {};     // path of what was mapped
  AccessSums sums = {};
};

struct MemoryUse {
  AccessSums all;
  std::vector<DataUse> data;  // most accesses first
};

// Of that build, null if there is none here; asked for once for each.
using OpenProgram =
    std::function<const object::File*(std::string_view path, std::string_view build_id)>;

MemoryUse memory_use(const perf::Recording& recording, const OpenProgram& open);

}  // namespace pgokit::samples
