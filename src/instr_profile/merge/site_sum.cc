#include "instr_profile/merge/site_sum.h"

#include <algorithm>

#include "base/saturated.h"

namespace pgokit::instr_profile {
namespace {

using Site = std::vector<ValueCount>;

void sort_by_value(Site& site) {
  // Where values repeat, the result depends on the algorithm; llvm-profdata's is this one.
  std::sort(site.begin(), site.end(),
            [](const ValueCount& a, const ValueCount& b) { return a.value < b.value; });
}

void sort_by_count(Site& site) {
  std::stable_sort(site.begin(), site.end(),
                   [](const ValueCount& a, const ValueCount& b) { return a.count > b.count; });
  if (site.size() > most_values_per_site) site.resize(most_values_per_site);
}

u64 multiply(u64 count, u64 weight, const TakeMismatch& mismatch) {
  u64 product;
  if (!__builtin_mul_overflow(count, weight, &product)) return product;
  mismatch(Mismatch::overflow);
  return ~u64{0};
}

u64 add_product(u64 to, u64 count, u64 weight, const TakeMismatch& mismatch) {
  u64 product, sum;
  if (!__builtin_mul_overflow(count, weight, &product) &&
      !__builtin_add_overflow(to, product, &sum))
    return sum;
  mismatch(Mismatch::overflow);
  return ~u64{0};
}

// Both are sorted by value afterwards.
void add_site(Site& into, Site& from, u64 weight, Rules rules, const TakeMismatch& mismatch) {
  sort_by_value(into);
  sort_by_value(from);
  Site sum;
  auto at = into.begin();
  for (auto one : from) {
    while (at != into.end() && at->value < one.value) sum.push_back(*at++);
    if (at != into.end() && at->value == one.value) {
      at->count = add_product(at->count, one.count, weight, mismatch);
      sum.push_back(*at++);
      continue;
    }
    if (rules == Rules::commutative) one.count = multiply(one.count, weight, mismatch);
    sum.push_back(one);
  }
  sum.insert(sum.end(), at, into.end());
  into = std::move(sum);
}

// Values that repeat become one, the rest is in the order of values.
void unite(Site& site) {
  sort_by_value(site);
  size_t kept = 0;
  for (size_t i = 0; i < site.size(); ++i)
    if (kept > 0 && site[kept - 1].value == site[i].value)
      site[kept - 1].count = add_saturated(site[kept - 1].count, site[i].count);
    else
      site[kept++] = site[i];
  site.resize(kept);
}

class Builder {
 public:
  void append(const Site& site) {
    made_.sizes.emplace_back(static_cast<u16>(site.size()));
    for (const auto& value : site) made_.values.emplace_back(value);
  }
  void append_kind(size_t kind, u32 sites) { made_.sites[kind] = sites; }
  SiteValues take() { return std::move(made_); }

 private:
  SiteValues made_;
};

// The sites of one kind after the other.
class Walk {
 public:
  explicit Walk(const SiteValues& values) : values_(values), at_(values.values.begin()) {}
  std::span<const ValueCount> next() {
    std::span site(at_, values_.sizes[site_++]);
    at_ += site.size();
    return site;
  }
  void skip(u32 sites) {
    while (sites--) next();
  }

 private:
  const SiteValues& values_;
  const ValueCount* at_;
  size_t site_ = 0;
};

// Where in a site of the sum each value of another is: mostly the sum has all of them, and none
// twice, and then nothing has to be made anew. That is half of the time of adding raw files.
class Places {
 public:
  bool find(const SiteValues& into, const SiteValues& from) {
    if (into.sites != from.sites || from.values.size() > most) return false;
    const ValueCount *site = into.values.begin(), *added = from.values.begin();
    u8* place = places_;
    for (size_t i = 0; i < into.sizes.size(); ++i) {
      u16 size = into.sizes[i], count = from.sizes[i];
      if (size > most_of_site || (count && !find_site({site, size}, {added, count}, place)))
        return false;
      site += size, added += count, place += count;
    }
    return true;
  }
  u8 operator[](size_t value) const { return places_[value]; }

 private:
  static constexpr size_t most = 64, most_of_site = 16;

  static bool find_site(std::span<const ValueCount> site, std::span<const ValueCount> added,
                        u8* place) {
    for (size_t i = 0; i < site.size(); ++i)
      for (size_t other = 0; other < i; ++other)
        if (site[i].value == site[other].value) return false;
    u32 seen = 0;
    for (auto [value, count] : added) {
      size_t at = 0;
      while (at < site.size() && site[at].value != value) ++at;
      if (at == site.size() || (seen >> at & 1)) return false;
      seen |= 1u << at;
      *place++ = static_cast<u8>(at);
    }
    return true;
  }

  u8 places_[most];
};

void add_in_place(SiteValues& into, const SiteValues& from, const Places& places, u64 weight,
                  const TakeMismatch& mismatch) {
  ValueCount* site = into.values.begin();
  size_t value = 0;
  for (size_t i = 0; i < into.sizes.size(); ++i) {
    for (u16 n = 0; n < from.sizes[i]; ++n, ++value) {
      u64& count = site[places[value]].count;
      count = add_product(count, from.values[value].count, weight, mismatch);
    }
    std::span values(site, into.sizes[i]);
    site += into.sizes[i];
    auto before = [](const ValueCount& a, const ValueCount& b) {
      return a.count != b.count ? a.count > b.count : a.value < b.value;
    };
    if (!std::ranges::is_sorted(values, before)) std::ranges::sort(values, before);
  }
}

}  // namespace

SiteValues first_of_sum(const SiteValues& values, u64 weight, Rules rules,
                        const TakeMismatch& mismatch) {
  Builder made;
  Site site;
  values.each_site([&](ValueKind, std::span<const ValueCount> from) {
    site.assign(from.begin(), from.end());
    if (weight > 1)
      for (auto& value : site) value.count = multiply(value.count, weight, mismatch);
    if (rules == Rules::commutative) unite(site);
    sort_by_count(site);
    made.append(site);
  });
  for (size_t kind = 0; kind < value_kinds; ++kind) made.append_kind(kind, values.sites[kind]);
  return made.take();
}

void add_sites(SiteValues& into, const SiteValues& from, u64 weight, Rules rules,
               const TakeMismatch& mismatch) {
  if (Places places; places.find(into, from))
    return add_in_place(into, from, places, weight, mismatch);
  Builder made;
  Walk ours(into), theirs(from);
  Site sum, other;
  for (size_t kind = 0; kind < value_kinds; ++kind) {
    u32 sites = into.sites[kind];
    made.append_kind(kind, sites);
    bool same = from.sites[kind] == sites;
    if (!same) {
      mismatch(Mismatch::sites);
      theirs.skip(from.sites[kind]);
    }
    for (u32 i = 0; i < sites; ++i) {
      auto site = ours.next();
      sum.assign(site.begin(), site.end());
      if (same) {
        auto added = theirs.next();
        other.assign(added.begin(), added.end());
        if (rules == Rules::commutative) unite(other);
        add_site(sum, other, weight, rules, mismatch);
      }
      sort_by_count(sum);
      made.append(sum);
    }
  }
  into = made.take();
}

}  // namespace pgokit::instr_profile
