#include "instr_profile/model/in_order.h"

#include <algorithm>
#include <utility>

namespace pgokit::instr_profile {
namespace {

// By NameId.
std::vector<bool> names_that_ran(const Profile& profile) {
  std::vector<bool> ran(profile.names.size());
  for (u32 i = 0; i < profile.functions.size(); ++i)
    if (profile.ran(i)) ran[static_cast<u32>(profile.functions[i].name)] = true;
  return ran;
}

// LLVM's DenseMap: open addressing in a table of a power of two, of which a quarter stays free; its
// tests of places are one, two, three... places apart.
class Table {
 public:
  Table(std::span<const u64> hashes, size_t places) : hashes_(hashes), places_(places, nothing) {}

  void add(u32 number) {
    constexpr size_t least_large = 64;
    if ((size_ + 1) * 4 >= places_.size() * 3) grow(std::max(least_large, places_.size() * 2));
    put(number);
    ++size_;
  }
  const std::vector<u32>& places() const { return places_; }

 private:
  void grow(size_t places) {
    auto old = std::exchange(places_, std::vector<u32>(places, nothing));
    for (u32 number : old)
      if (number != nothing) put(number);
  }
  void put(u32 number) {
    u64 mixed = hashes_[number] * 0xbf58476d1ce4e5b9u;
    mixed ^= mixed >> 31;
    size_t mask = places_.size() - 1, at = static_cast<u32>(mixed) & mask;
    for (size_t step = 1; places_[at] != nothing; ++step) at = (at + step) & mask;
    places_[at] = number;
  }

  std::span<const u64> hashes_;
  std::vector<u32> places_;
  size_t size_ = 0;
};

}  // namespace

std::vector<u32> hash_table_order(std::span<const u64> hashes, size_t first_places) {
  Table table(hashes, first_places);
  for (u32 i = 0; i < hashes.size(); ++i) table.add(i);
  std::vector<u32> order;
  for (u32 number : table.places())
    if (number != nothing) order.push_back(number);
  return order;
}

std::vector<u32> in_order(const Profile& profile, bool sparse) {
  std::vector<u32> order;
  order.reserve(profile.functions.size());
  auto ran = sparse ? names_that_ran(profile) : std::vector<bool>();
  for (u32 i = 0; i < profile.functions.size(); ++i)
    if (!sparse || ran[static_cast<u32>(profile.functions[i].name)]) order.push_back(i);
  std::ranges::sort(order, [&](u32 a, u32 b) {
    const auto &x = profile.functions[a], &y = profile.functions[b];
    if (x.name != y.name) return profile.names.text(x.name) < profile.names.text(y.name);
    return x.hash < y.hash;
  });
  return order;
}

}  // namespace pgokit::instr_profile
