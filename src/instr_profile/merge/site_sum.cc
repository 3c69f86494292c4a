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
