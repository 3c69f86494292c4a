#include "profile/merge/decay.h"

#include <array>

namespace pgokit::profile {
namespace {

constexpr unsigned fraction_bits = 16;

constexpr u64 square_root(u64 number) {
  u64 root = 0;
  for (u64 bit = u64{1} << 31; bit != 0; bit >>= 1)
    if (u64 larger = root | bit; larger * larger <= number) root = larger;
  return root;
}

// 2^(-1/2), 2^(-1/4), 2^(-1/8) ... in parts of 2^32: each is the root of the one before.
constexpr auto roots = [] {
  std::array<u64, fraction_bits> list{};
  u64 square = u64{1} << 31;
  for (u64& root : list) square = root = square_root(square << 32);
  return list;
}();

}  // namespace

u64 decayed_weight(u64 age, u64 half_life) {
  constexpr u64 most_halvings = 11;  // of which half a part is left
  u64 halvings = age / half_life;
  if (halvings >= most_halvings) return 0;
  u64 fraction = ((age % half_life) << fraction_bits) / half_life;
  u64 share = u64{1} << 32;
  for (unsigned i = 0; i < fraction_bits; ++i)
    if (fraction >> (fraction_bits - 1 - i) & 1) share = share * roots[i] >> 32;
  u64 scaled = share * full_weight;
  u64 half = u64{1} << (31 + halvings);
  return (scaled + half) >> (32 + halvings);
}

}  // namespace pgokit::profile
