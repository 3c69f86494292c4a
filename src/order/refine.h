#pragma once

// Small programs: every function is tried at every place. Where few pages count, where a function
// ends up beside a page's border matters more than what algorithms for large programs look at.
//
//   order::refine(order, model, 4096);
//
// The order stays as it is if there are too many functions to try them all.

#include <vector>

#include "order/model.h"

namespace pgokit::order {

// Lowers the area under the page-fault curves of the model's traces. Whether it did.
bool refine(std::vector<u32>& order, const Model& model, u64 page_size);

}  // namespace pgokit::order
