#pragma once

// A picture of pages: which are touched, and when. SVG.
//
//   report::PageMap before{.title = "now", .pages = 1382, .touched = {{0, 0.0}, {17, 0.5}}};
//   std::string svg = report::page_maps({before, after});

#include <string>
#include <vector>

#include "base/types.h"

namespace pgokit::report {

struct PageMap {
  struct Touched {
    u64 page = 0;     // from 0
    double time = 0;  // 0 first, 1 last
  };
  std::string title;  // "now: 953 of 1,382 pages"
  u64 pages = 0;
  std::vector<Touched> touched;
};

// One map under the other. Large programs have several pages in one square.
std::string page_maps(const std::vector<PageMap>& maps);

}  // namespace pgokit::report
