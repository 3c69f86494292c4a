#include "profile/model/summary.h"

#include <algorithm>
#include <optional>

#include "base/saturated.h"
#include "profile/model/each_function.h"
#include "profile/model/llvm_hash.h"

namespace pgokit::profile {
namespace {

constexpr u32 cutoffs[] = {10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
                           800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
constexpr u32 scale = 1000000;

void add(const FunctionSamples& samples, SummaryBuilder& builder) {
  for (const auto& [location, record] : samples.body.unordered()) builder.add_place(record.samples);
  for (const auto& [location, callees] : samples.inlinees.unordered())
    for (const auto& [name, inlinee] : callees.unordered())
      // what was also merged into the function's own profile counts there
      if (!(inlinee->attributes & duplicated_into_base)) add(*inlinee, builder);
}

u64 part_of(u64 total, u32 cutoff) {
  __extension__ using u128 = unsigned __int128;
  return static_cast<u64>(u128{total} * cutoff / scale);
}

void add(const Function& function, SummaryBuilder& builder) {
  builder.add_function(function.samples.head);
  add(function.samples, builder);
}

Summary summarize_functions(const Profile& profile, unsigned threads) {
  std::vector<SummaryBuilder> builders(worker_count(threads));
  for_each_function(profile, threads, [&](const Function& function, unsigned worker) {
    add(function, builders[worker]);
  });
  for (size_t i = 1; i < builders.size(); ++i) builders[0].add(builders[i]);
  return builders[0].finish();
}

// Of one function, in different contexts or inlinees.
bool has_several_checksums(const Profile& profile) {
  std::vector<std::optional<u64>> known(profile.names.size());
  auto differs = [&](auto& self, const FunctionSamples& samples) -> bool {
    auto& checksum = known[static_cast<size_t>(samples.name)];
    if (checksum.value_or(samples.checksum) != samples.checksum) return true;
    checksum = samples.checksum;
    for (const auto& [location, callees] : samples.inlinees.unordered())
      for (const auto& [name, inlinee] : callees.unordered())
        if (self(self, *inlinee)) return true;
    return false;
  };
  return std::ranges::any_of(profile.functions(), [&](const Function& function) {
    return differs(differs, function.samples);
  });
}

void add(const FunctionSamples& function, Weight& weight) {
  for (const auto& [location, record] : function.body.unordered()) {
    weight.samples = add_saturated(weight.samples, record.samples);
    weight.max_count = std::max(weight.max_count, record.samples);
    ++weight.places;
  }
  for (const auto& [location, callees] : function.inlinees.unordered())
    for (const auto& [name, inlinee] : callees.unordered()) add(*inlinee, weight);
}

}  // namespace

void SummaryBuilder::add(const SummaryBuilder& other) {
  for (size_t count = 0; count < small_.size(); ++count) small_[count] += other.small_[count];
  large_.insert(large_.end(), other.large_.begin(), other.large_.end());
  summary_.total += other.summary_.total;
  summary_.num_functions += other.summary_.num_functions;
  summary_.max_function_count =
      std::max(summary_.max_function_count, other.summary_.max_function_count);
}

Summary SummaryBuilder::finish() {
  u64 sum = 0, last = 0;
  size_t cutoff = 0;
  auto take = [&](bool all) {
    while (cutoff < std::size(cutoffs) && (all || sum >= part_of(summary_.total, cutoffs[cutoff])))
      summary_.entries.push_back({cutoffs[cutoff++], last, summary_.num_counts});
  };
  auto add = [&](u64 count, u64 places) {
    summary_.max_count = std::max(summary_.max_count, count);
    summary_.num_counts += places;
    sum += count * places;
    last = count;
    take(false);
  };
  take(false);
  std::ranges::sort(large_, std::greater<>());
  for (size_t i = 0, next = 0; i < large_.size(); i = next) {
    while (next < large_.size() && large_[next] == large_[i]) ++next;
    add(large_[i], next - i);
  }
  for (u64 count = small_.size(); count-- > 0;)
    if (small_[count]) add(count, small_[count]);
  take(true);
  return std::move(summary_);
}

u64 Summary::count_at(u32 cutoff) const {
  for (const auto& entry : entries)
    if (entry.cutoff >= cutoff) return entry.min_count;
  return 0;
}

Summary summarize(const Profile& profile, bool llvm_order, unsigned threads) {
  if (!profile.flags.context_sensitive) return summarize_functions(profile, threads);
  std::vector<u32> place(profile.names.size());  // 1 + where the function's sum is
  std::deque<Function> functions;
  auto add_up = [&](const FunctionSamples& samples) {
    u32& at = place[static_cast<size_t>(samples.name)];
    if (at == 0) {
      functions.emplace_back();
      at = static_cast<u32>(functions.size());
    }
    merge(functions[at - 1].samples, samples);
  };
  // The first of several checksums decides: then in file order, which takes longer.
  if (!has_several_checksums(profile))
    for (const auto& function : profile.functions()) add_up(function.samples);
  else if (llvm_order)
    for (u32 i : llvm_table_order(LlvmKeys(profile).all())) add_up(profile.functions()[i].samples);
  else
    for (const auto* function : profile.ordered()) add_up(function->samples);
  SummaryBuilder builder;
  for (const auto& function : functions) add(function, builder);
  return builder.finish();
}

Summary summarize_contexts(const Profile& profile) { return summarize_functions(profile, 1); }

std::vector<Weight> weigh(std::span<const Function* const> functions, unsigned threads) {
  constexpr size_t at_once = 512;
  std::vector<Weight> weights(functions.size());
  parallel_each(weights.size(), at_once, threads, [&](size_t i, unsigned) {
    Weight weight;
    add(functions[i]->samples, weight);
    weights[i] = weight;
  });
  return weights;
}

Density density(std::span<const Weight> weights, u32 cutoff) {
  struct Item {
    double density;
    u64 samples;
  };
  std::vector<Item> items;
  u64 total = 0;
  for (const auto& [samples, places, max_count] : weights) {
    if (places == 0) continue;
    items.push_back({static_cast<double>(samples) / static_cast<double>(places), samples});
    total = add_saturated(total, samples);
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

Density density(const Profile& profile, u32 cutoff, unsigned threads) {
  std::vector<const Function*> functions;
  for (const auto& function : profile.functions()) functions.push_back(&function);
  return density(weigh(functions, threads), cutoff);
}

std::vector<HotFunction> hot_functions(std::span<const Function* const> functions,
                                       std::span<const Weight> weights, const Summary& summary) {
  u64 hot = summary.count_at(hot_cutoff);
  std::vector<HotFunction> list;
  for (size_t i = 0; i < functions.size(); ++i)
    if (weights[i].max_count >= hot) list.push_back({functions[i], weights[i].max_count});
  return list;
}

}  // namespace pgokit::profile
