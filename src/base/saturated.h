#pragma once

// Sums and products of counts that stop at the largest value.
//
//   u64 seven = add_saturated(1, multiply_saturated(2, 3));

#include "base/types.h"

namespace pgokit {

inline u64 add_saturated(u64 a, u64 b) {
  u64 sum;
  return __builtin_add_overflow(a, b, &sum) ? ~u64{0} : sum;
}

inline u64 multiply_saturated(u64 a, u64 b) {
  u64 product;
  return __builtin_mul_overflow(a, b, &product) ? ~u64{0} : product;
}

}  // namespace pgokit
