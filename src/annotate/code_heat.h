#pragma once

// Which pages and cache lines of the code ran, as it lies and as it would lie in another order.
//
//   CodeHeat now = heat_of(program, counts);
//   CodeHeat then = heat_of(program, counts, &order);      // names, first to last
//   for (const auto& page : now.touched) use(page.number, page.instructions, page.lines);

#include <span>
#include <string_view>
#include <vector>

#include "annotate/code_counts.h"

namespace pgokit::annotate {

struct CodeHeat {
  static constexpr u64 page_size = 4096, line_size = 64;

  struct Page {
    u64 number = 0;        // from 0, of the code
    u64 instructions = 0;  // executed
    u32 lines = 0;         // cache lines of which some instruction ran
  };
  u64 pages = 0;              // of all functions
  u64 lines = 0;              // that ran
  std::vector<Page> touched;  // ascending
  u64 placed = 0;             // functions of the order that the program has
};

// `order`: functions that lie first; null: as the program was linked.
CodeHeat heat_of(const program::Program& program, const CodeCounts& counts,
                 const std::vector<std::string_view>* order = nullptr);

}  // namespace pgokit::annotate
