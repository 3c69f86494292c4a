#pragma once

// The function at a place in the code, for look-ups by the million.
//
//   CodeFunctions functions(program);
//   u32 function = functions.at(code_index);      // as FunctionTable::find(); CodeFunctions::none

#include <vector>

#include "program/program.h"

namespace pgokit::generate {

class CodeFunctions {
 public:
  static constexpr u32 none = ~u32{0};

  explicit CodeFunctions(const program::Program& program);

  // The function, and the range of the function, that the place is in.
  u32 at(program::CodeIndex at) const {
    u32 range = range_at(at);
    return range == none ? none : ranges_[range].function;
  }
  u32 range_at(program::CodeIndex at) const;

 private:
  static constexpr unsigned block_bits = 6;
  struct Range {
    u32 start, end, function;
  };
  std::vector<Range> ranges_;     // by start
  std::vector<u32> first_after_;  // of each block of code: the first range behind its start
};

}  // namespace pgokit::generate
