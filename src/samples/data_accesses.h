#pragma once

// Which virtual tables the program read, from the text of `perf report -D` over a recording of
// memory accesses with their addresses.
//
//   auto accesses = TRY(read_vtable_accesses(text, program, {.base = script.base}));
//   for (const auto& [ip, vtable, count] : accesses) ...
//
// Of the text two kinds of lines are used, by llvm-profgen 22's rules:
//
//   PERF_RECORD_MMAP2 PID/TID: [0x.. (..) ..]: r--p PATH     where data of the program is mapped
//   PERF_RECORD_SAMPLE(IP, 0x1): PID/TID: 0xIP period: N addr: 0xADDRESS
//
// An address in none of these mappings is taken for one of the linked program.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "program/program.h"

namespace pgokit::samples {

struct VtableAccess {
  BinaryAddr ip;       // the instruction that read; it may be anywhere
  std::string vtable;  // the symbol: _ZTV...
  u64 count = 0;
  auto operator<=>(const VtableAccess&) const = default;
};

struct DataAccessOptions {
  std::optional<u32> pid = {};   // accesses of this process only
  std::optional<u64> base = {};  // where the first text segment was loaded; nothing: as the text
                                 // says, else as it was linked
};

// Ascending, each pair of instruction and table once. Fails where data mappings overlap.
Result<std::vector<VtableAccess>> read_vtable_accesses(std::string_view text,
                                                       const program::Program& program,
                                                       const DataAccessOptions& options);

}  // namespace pgokit::samples
