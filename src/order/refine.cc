#include "order/refine.h"

#include "order/arrange.h"

namespace pgokit::order {
namespace {

constexpr u64 most_steps = 20'000'000;  // of one pass: a fraction of a second
constexpr int passes = 2;

void move(std::vector<u32>& order, size_t from, size_t to) {
  u32 function = order[from];
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), function);
}

}  // namespace

bool refine(std::vector<u32>& order, const Model& model, u64 page_size) {
  u64 runs = model.functions.size();
  for (const auto& trace : model.traces) runs += trace.functions.size();
  u64 size = order.size();
  if (size * size > most_steps / (runs + 1)) return false;
  auto area = [&] { return startup_area(order, model, model.traces, page_size); };
  const double start = area();
  double best = start;
  for (int pass = 0; pass < passes; ++pass) {
    double before = best;
    for (size_t from = 0; from < order.size(); ++from) {
      size_t place = from, to = from;
      for (size_t i = 0; i < order.size(); ++i) {
        move(order, place, i);
        place = i;
        if (double found = area(); found < best) best = found, to = i;
      }
      move(order, place, to);
    }
    if (best >= before) break;
  }
  return best < start;
}

}  // namespace pgokit::order
