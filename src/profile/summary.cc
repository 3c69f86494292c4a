#include "profile/summary.h"

#include <algorithm>

namespace pgokit::profile {
namespace {

constexpr u32 cutoffs[] = {10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
                           800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
constexpr u32 scale = 1000000;

struct Counts {
  u64 total = 0;
  std::vector<u64> all;

  void add(const FunctionSamples& samples) {
    for (const auto& [location, record] : samples.body.unordered()) {
      all.push_back(record.samples);
      total += record.samples;  // wraps as the tools' sum does
    }
    for (const auto& [location, callees] : samples.inlinees.unordered())
      for (const auto& [name, inlinee] : callees.unordered())
        // what was also merged into the function's own profile counts there
        if (!(inlinee->attributes & duplicated_into_base)) add(*inlinee);
  }
};

u64 part_of(u64 total, u32 cutoff) {
  __extension__ using u128 = unsigned __int128;
  return static_cast<u64>(u128{total} * cutoff / scale);
}

std::vector<Summary::Entry> entries_of(std::vector<u64> counts, u64 total) {
  std::ranges::sort(counts, std::greater<>());
  std::vector<Summary::Entry> entries;
  u64 sum = 0, last = 0;
  size_t seen = 0;
  for (u32 cutoff : cutoffs) {
    u64 wanted = part_of(total, cutoff);
    while (sum < wanted && seen < counts.size()) {
      last = counts[seen];  // equal counts are taken together
      for (; seen < counts.size() && counts[seen] == last; ++seen) sum += last;
    }
    entries.push_back({cutoff, last, seen});
  }
  return entries;
}

Summary summarize_functions(const std::deque<Function>& functions) {
  Summary summary;
  Counts counts;
  for (const auto& function : functions) {
    ++summary.num_functions;
    summary.max_function_count = std::max(summary.max_function_count, function.samples.head);
    counts.add(function.samples);
  }
  summary.total = counts.total;
  summary.num_counts = counts.all.size();
  for (u64 count : counts.all) summary.max_count = std::max(summary.max_count, count);
  summary.entries = entries_of(std::move(counts.all), counts.total);
  return summary;
}

// Body samples and places, inlinees included.
struct Weight {
  u64 samples = 0, places = 0, max_count = 0;

  void add(const FunctionSamples& function) {
    for (const auto& [location, record] : function.body.unordered()) {
      samples = add_saturated(samples, record.samples);
      max_count = std::max(max_count, record.samples);
      ++places;
    }
    for (const auto& [location, callees] : function.inlinees.unordered())
      for (const auto& [name, inlinee] : callees.unordered()) add(*inlinee);
  }
};

}  // namespace

u64 Summary::count_at(u32 cutoff) const {
  for (const auto& entry : entries)
    if (entry.cutoff >= cutoff) return entry.min_count;
  return 0;
}

Summary summarize(const Profile& profile) {
  if (!profile.flags.context_sensitive) return summarize_functions(profile.functions());
  std::vector<u32> place(profile.names.size());  // 1 + where the function's sum is
  std::deque<Function> functions;
  // in file order, as the first of several checksums decides
  for (const auto* function : profile.ordered()) {
    u32& at = place[static_cast<size_t>(function->samples.name)];
    if (at == 0) {
      functions.emplace_back();
      at = static_cast<u32>(functions.size());
    }
    merge(functions[at - 1].samples, function->samples);
  }
  return summarize_functions(functions);
}

Density density(const Profile& profile, u32 cutoff) {
  struct Item {
    double density;
    u64 samples;
  };
  std::vector<Item> items;
  u64 total = 0;
  for (const auto& function : profile.functions()) {
    Weight weight;
    weight.add(function.samples);
    if (weight.places == 0) continue;
    total = add_saturated(total, weight.samples);
    items.push_back(
        {static_cast<double>(weight.samples) / static_cast<double>(weight.places), weight.samples});
  }
  std::ranges::sort(items, [](const Item& a, const Item& b) {
    return a.density != b.density ? a.density > b.density : a.samples < b.samples;
  });
  // in single precision on both sides, as the tools compare
  float wanted = static_cast<float>(total) * static_cast<float>(cutoff) / float{scale};
  Density result;
  u64 sum = 0;
  for (const auto& item : items) {
    if (static_cast<float>(sum) >= wanted) break;
    sum = add_saturated(sum, item.samples);
    result.density = item.density;
    ++result.functions;
  }
  if (total) result.covered_share = static_cast<double>(sum) / static_cast<double>(total);
  return result;
}

std::vector<HotFunction> hot_functions(const Profile& profile, const Summary& summary) {
  u64 hot = summary.count_at(hot_cutoff);
  std::vector<HotFunction> found;
  for (const auto* function : profile.ordered()) {
    Weight weight;
    weight.add(function->samples);
    if (weight.max_count >= hot) found.push_back({function, weight.max_count});
  }
  return found;
}

}  // namespace pgokit::profile
