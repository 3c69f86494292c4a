#pragma once

// Where perf script text says that the program was loaded.
//
// Samples in such text do not tell their process, so there is one load address at a time, changed
// by each mapping event of the program's file name, in the order of the text: the rules of
// llvm-profgen 22.

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "binary/program.h"
#include "perf/script.h"

namespace pgokit::samples {

struct LoadAddress {
  u64 base = 0;         // where the first text segment is
  bool mapped = false;  // a mapping event said so

  BinaryAddr translate(u64 address, const binary::Program& program) const {
    return {address - base + program.text_base().value};
  }
};

// The load address from a place in the text on.
struct LoadChange {
  const char* at = nullptr;
  LoadAddress address;
};

struct LoadHistory {
  LoadAddress initial;
  std::vector<LoadChange> changes;  // in the order of the text
  u64 unparsable_events = 0;
  u64 events = 0;  // mapping events of the program

  LoadAddress at(const char* place) const;
};

// Fails where segments of the program do not lie as it was linked. `pid`: take mapping events of
// this process only.
Result<LoadHistory> read_load_history(std::string_view text, const binary::Program& program,
                                      std::optional<u32> pid);

}  // namespace pgokit::samples
