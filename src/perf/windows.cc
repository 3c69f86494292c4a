#include "perf/windows.h"

#include <algorithm>
#include <cmath>

#include "base/saturated.h"

namespace pgokit::perf {

Windows Windows::of(u64 number, double likeness) {
  constexpr double largest = 0x1p63;
  double elsewhere = static_cast<double>(number) * 1000 * (1 - std::clamp(likeness, 0.0, 1.0));
  if (number == 0) return {};
  return {.number = number,
          .uncertainty = static_cast<u64>(std::clamp(elsewhere * elsewhere, 1.0, largest))};
}

void Windows::add(const Windows& more, u64 weight) {
  if (more.number == 0) return;
  bool is_known = (number == 0 || uncertainty > 0) && more.uncertainty > 0;
  u64 square = multiply_saturated(weight, weight);
  uncertainty =
      is_known ? add_saturated(uncertainty, multiply_saturated(more.uncertainty, square)) : 0;
  number = add_saturated(number, multiply_saturated(more.number, weight));
}

Windows Windows::of_program(double share) const {
  auto of = [&](u64 all) {
    return std::max(static_cast<u64>(static_cast<double>(all) * std::clamp(share, 0.0, 1.0)),
                    std::min<u64>(all, 1));
  };
  return share < 1 ? Windows{.number = of(number), .uncertainty = of(uncertainty)} : *this;
}

std::optional<double> Windows::likeness() const {
  if (number == 0 || uncertainty == 0) return {};
  double elsewhere = std::sqrt(static_cast<double>(uncertainty)) / 1000;
  return std::max(1 - elsewhere / static_cast<double>(number), 0.0);
}

bool Windows::is_thin() const {
  return number > 0 && (are_few() || likeness().value_or(1) < dense_likeness);
}

}  // namespace pgokit::perf
