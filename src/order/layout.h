#pragma once

// Where functions lie, and how many pages a start-up touches there.
//
//   order::Layout now = order::present_layout(model);          // of a linked program
//   order::Layout then = order::layout_of(order, model);       // if it were linked like this
//   order::PageCurve curve = order::page_curve(now, trace, 4096);
//   use(curve.pages, curve.area);
//
// A function that ran counts with every page it lies on: of functions larger than a page that may
// be more than the kernel has to read.

#include <span>

#include "order/model.h"

namespace pgokit::order {

struct Extent {
  u64 begin = 0, end = 0;  // end 0: the function is not there
  bool is_there() const { return end != 0; }
};

struct Layout {
  std::vector<Extent> functions;  // by their numbers in the model
};

// The functions behind each other in this order, then all others of the model as they lie now.
Layout layout_of(std::span<const u32> order, const Model& model);
// As the model's addresses say.
Layout present_layout(const Model& model);

// Pages over the course of a start-up: after each function that ran first, the number of different
// pages touched so far. The area under that curve is LLVM's measure of a start-up order too.
struct PageCurve {
  u64 pages = 0;  // in the end
  double area = 0;
  u64 functions = 0, missing = 0;  // of the trace; missing: not in the layout
};
PageCurve page_curve(const Layout& layout, const Trace& trace, u64 page_size);

// The pages a trace touches, ascending.
std::vector<u64> touched_pages(const Layout& layout, const Trace& trace, u64 page_size);

// How far calls go.
struct CallDistances {
  double weight = 0;       // of all calls between different functions
  double within_page = 0;  // ... of those that stay in 4 KB: start of caller to callee
  double within_64k = 0, within_2m = 0;
  double mean_log2 = 0;  // of the distance in bytes
};
CallDistances call_distances(const Layout& layout, const Model& model);

}  // namespace pgokit::order
