#include "instr_profile/merge/sum.h"

#include <algorithm>
#include <tuple>

#include "instr_profile/merge/site_sum.h"

namespace pgokit::instr_profile {
namespace {

const SiteValues no_values;

const SiteValues& values_of(const Record& record) {
  return record.values ? *record.values : no_values;
}

}  // namespace

bool Sum::takes(u64 kind) {
  kind &= ~Kind::memory;  // memory/memory_sum.h is for that
  u64& ours = profile_.kind;
  // Text need not say how it was made.
  if (kind == 0 && rules_ == Rules::commutative) return true;
  if ((ours & ~Kind::memory) == 0) return ours |= kind, true;
  auto clash = [&](u64 a, u64 b) {
    return ((ours & a) && (kind & b)) || ((ours & b) && (kind & a));
  };
  if ((ours ^ kind) & Kind::frontend) return false;
  if (clash(Kind::entry_only, Kind::entry_first | Kind::loop_entries)) return false;
  ours |= kind;
  return true;
}

void Sum::add_counters(u32 function, const u64* counts, u64 weight, const TakeMismatch& mismatch) {
  bool overflow = false;
  for (u64& sum : profile_.counters_of(function)) {
    u64 product, added;
    bool too_large = __builtin_mul_overflow(*counts++, weight, &product);
    too_large |= __builtin_add_overflow(product, sum, &added);
    too_large |= added > largest_count;
    sum = too_large ? largest_count : added;
    overflow |= too_large;
  }
  if (overflow) mismatch(Mismatch::overflow);
}

void Sum::add_values(u32 function, const SiteValues& values, u64 weight,
                     const TakeMismatch& mismatch) {
  auto& f = profile_.functions[function];
  if (f.values != nothing)
    add_sites(profile_.values[f.values], values, weight, rules_, mismatch);
  else if (!values.empty())
    mismatch(Mismatch::sites);
}

void Sum::copy(u32 function, const Record& record, u64 weight, const TakeMismatch& mismatch) {
  auto& f = profile_.functions[function];
  auto counters = profile_.counters_of(function);
  std::ranges::copy(record.counters, counters.begin());
  if (weight > 1) {
    bool overflow = false;
    for (u64& count : counters) {
      u64 product;
      bool too_large = __builtin_mul_overflow(count, weight, &product) || product > largest_count;
      count = too_large ? largest_count : product;
      overflow |= too_large;
    }
    if (overflow) mismatch(Mismatch::overflow);
  }
  f.first_bitmap_byte = profile_.bitmap.size();
  f.bitmap_bytes = static_cast<u32>(record.bitmap.size());
  profile_.bitmap.insert(profile_.bitmap.end(), record.bitmap.begin(), record.bitmap.end());
  if (!record.values) return;
  f.values = static_cast<u32>(profile_.values.size());
  profile_.values.push_back(first_of_sum(*record.values, weight, rules_, mismatch));
}

bool Sum::replaces(u32 function, const Record& record) const {
  auto size = [](const Record& one) {
    return std::tuple(one.counters.size(), one.bitmap.size(), values_of(one).sites);
  };
  return size(record) > size(profile_.record(function));
}

// Its old counters stay where they are, without a function.
void Sum::replace(u32 function, const Record& record) {
  auto& f = profile_.functions[function];
  f.first_counter = profile_.counters.size();
  f.counters = static_cast<u32>(record.counters.size());
  f.values = nothing;
  profile_.counters.resize(profile_.counters.size() + record.counters.size());
}

u32 Sum::add(const Record& record, u64 weight, const TakeMismatch& mismatch) {
  auto name = profile_.names.intern(record.name);
  auto [at, added] = profile_.find_or_add(name, record.hash, record.counters.size());
  if (added) return copy(at, record, weight, mismatch), at;
  auto& f = profile_.functions[at];
  bool same = f.counters == record.counters.size();
  if (rules_ == Rules::commutative) {
    bool whole = same && f.bitmap_bytes == record.bitmap.size() &&
                 values_of(profile_.record(at)).sites == values_of(record).sites;
    if (!whole) {
      mismatch(Mismatch::counters);
      if (replaces(at, record)) replace(at, record), copy(at, record, weight, mismatch);
      return at;
    }
  }
  if (!same) return mismatch(Mismatch::counters), at;
  Mark theirs = mark_of(record.counters), ours = mark_of(profile_.record(at).counters);
  if (theirs != Mark::none || ours != Mark::none) {
    if (theirs == Mark::none || ours == Mark::none) return mismatch(Mismatch::counters), at;
    bool hot = theirs == Mark::hot || ours == Mark::hot;
    profile_.counters_of(at)[0] = hot ? ~u64{0} : ~u64{1};
    return at;
  }
  add_counters(at, record.counters.data(), weight, mismatch);
  if (f.bitmap_bytes != record.bitmap.size()) return mismatch(Mismatch::bitmap), at;
  auto bits = profile_.bitmap_of(at);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] |= record.bitmap[i];
  add_values(at, values_of(record), weight, mismatch);
  return at;
}

void Sum::add_binary_ids(std::span<const std::string_view> ids) {
  for (auto id : ids)
    if (!binary_ids_.contains(id)) {
      binary_ids_.emplace(id);
      profile_.binary_ids.emplace_back(id);
    }
}

}  // namespace pgokit::instr_profile
