#pragma once

// The order in which functions first ran: of one trace the best there is for that start-up, as the
// pages it touches are full of what it needs.
//
//   std::vector<u32> order = order::first_touch(model);
//
// Of several traces the heaviest comes first, whole; then what else the next one ran, and so on.
// Functions of no trace are left out.

#include "order/model.h"

namespace pgokit::order {

std::vector<u32> first_touch(const Model& model);

// The numbers of the traces, the heaviest first.
std::vector<u32> heaviest_first(const Model& model);

}  // namespace pgokit::order
