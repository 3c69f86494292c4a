#pragma once

// Which pages and cache lines of the code ran, as it lies and as it would lie in another order.
//
//   CodeHeat now = heat_of(program, counts);
//   CodeHeat then = heat_of(program, counts, &order);      // names, first to last
//   for (const auto& page : now.touched) use(page.number, page.instructions, page.lines);
//   for (const auto& line : now.touched_lines) use(line.page, line.place, line.instructions);

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
  struct Line {
    u64 page = 0;          // as Page::number
    u32 place = 0;         // in the page
    u64 instructions = 0;  // executed
  };
  u64 pages = 0;                    // of all functions
  std::vector<Page> touched;        // ascending
  std::vector<Line> touched_lines;  // ascending
  u64 placed = 0;                   // functions of the order that the program has
};

// `order`: functions that lie first; null: as the program was linked.
CodeHeat heat_of(const program::Program& program, const CodeCounts& counts,
                 const std::vector<std::string_view>* order = nullptr);

}  // namespace pgokit::annotate
