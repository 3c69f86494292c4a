#include "instr_profile/overlap/overlap.h"

#include <algorithm>

#include "instr_profile/format.h"
#include "instr_profile/merge/sum.h"

namespace pgokit::instr_profile {
namespace {

const SiteValues no_values;

const SiteValues& values_of(const Record& record) {
  return record.values ? *record.values : no_values;
}

void add(Amounts& sum, const Record& record) {
  u64 counts = 0;
  for (u64 count : record.counters) counts += count;  // wraps as the tools' sum does
  sum.counts += static_cast<double>(counts);
  std::array<u64, value_kinds> values{};
  values_of(record).each_site([&](ValueKind kind, std::span<const ValueCount> site) {
    for (const auto& value : site) values[static_cast<size_t>(kind)] += value.count;
  });
  for (size_t kind = 0; kind < value_kinds; ++kind)
    sum.values[kind] += static_cast<double>(values[kind]);
}

void add_shares(Amounts& sum, const Amounts& part, const Amounts& whole) {
  ++sum.entries;
  sum.counts += part.counts / whole.counts;
  for (size_t kind = 0; kind < value_kinds; ++kind)
    if (whole.values[kind] >= 1) sum.values[kind] += part.values[kind] / whole.values[kind];
}

double smaller_share(u64 base, u64 test, double all_base, double all_test) {
  if (all_base < 1 || all_test < 1) return 0;
  return std::min(static_cast<double>(base) / all_base, static_cast<double>(test) / all_test);
}

Result<Amounts> amounts_of(Bytes bytes, bool context_sensitive) {
  Amounts sum;
  Facts facts;
  TRY(read(bytes, facts, [&](const Record& record) -> Status {
    bool ir = facts.kind & Kind::ir;
    if (ir && is_context_sensitive(record.hash) != context_sensitive) return {};
    add(sum, record);
    ++sum.entries;
    return {};
  }));
  return sum;
}

class Comparison {
 public:
  Comparison(const OverlapOptions& options, const TakeFunctionOverlap& take, ProfileOverlap& whole)
      : options_(options), take_(take), whole_(whole) {}

  Status read_base(Bytes bytes) {
    Facts facts;
    return read(bytes, facts, [&](const Record& record) -> Status {
      base_.add(record, 1, [](Mismatch) {});
      return {};
    });
  }

  void compare(const Record& test) {
    FunctionOverlap function{
        .name = test.name, .hash = test.hash, .base = {}, .test = {}, .both = {}};
    add(function.test, test);
    function.test.entries = test.counters.size();
    auto& profile = base_.profile();
    auto name = profile.names.find(test.name);
    if (!name || profile.first_of_name(*name) == nothing)
      return add_shares(whole_.only_in_test, function.test, whole_.test);
    if (function.test.counts < 1) return void(++whole_.both.entries);
    u32 at = profile.find(*name, test.hash);
    if (at == nothing || !is_same_shape(profile.record(at), test))
      return add_shares(whole_.mismatched, function.test, whole_.test);
    compare_with(profile.record(at), test, function);
  }

 private:
  static bool is_same_shape(const Record& base, const Record& test) {
    return base.counters.size() == test.counters.size() &&
           values_of(base).sites == values_of(test).sites;
  }

  void compare_with(const Record& base, const Record& test, FunctionOverlap& function) {
    add(function.base, base);
    function.base.entries = base.counters.size();
    compare_values(values_of(base), values_of(test), function);
    u64 largest = 0;
    double all = 0;
    for (size_t i = 0; i < test.counters.size(); ++i) {
      all +=
          smaller_share(base.counters[i], test.counters[i], whole_.base.counts, whole_.test.counts);
      function.both.counts += smaller_share(base.counters[i], test.counters[i],
                                            function.base.counts, function.test.counts);
      largest = std::max(largest, test.counters[i]);
    }
    whole_.both.counts += all;
    ++whole_.both.entries;
    function.both.entries = test.counters.size();
    bool named = !options_.function.empty() && test.name.contains(options_.function);
    if (named || largest >= options_.value_cutoff) take_(function);
  }

  // Both have the same sites.
  void compare_values(const SiteValues& base, const SiteValues& test, FunctionOverlap& function) {
    base_values_.assign(base.values.begin(), base.values.end());
    test_values_.assign(test.values.begin(), test.values.end());
    size_t site = 0, base_at = 0, test_at = 0;
    test.each_site([&](ValueKind kind, std::span<const ValueCount> of_test) {
      size_t size = base.sizes[site++];
      compare_site(static_cast<size_t>(kind), std::span(base_values_).subspan(base_at, size),
                   std::span(test_values_).subspan(test_at, of_test.size()), function);
      base_at += size, test_at += of_test.size();
    });
  }

  void compare_site(size_t kind, std::span<ValueCount> base, std::span<ValueCount> test,
                    FunctionOverlap& function) {
    for (auto site : {base, test}) std::ranges::sort(site, {}, &ValueCount::value);
    double all = 0, own = 0;
    auto at = base.begin();
    for (const auto& [value, count] : test) {
      while (at != base.end() && at->value < value) ++at;
      if (at == base.end()) break;
      if (at->value != value) continue;
      all += smaller_share(at->count, count, whole_.base.values[kind], whole_.test.values[kind]);
      own +=
          smaller_share(at->count, count, function.base.values[kind], function.test.values[kind]);
      ++at;
    }
    whole_.both.values[kind] += all;
    function.both.values[kind] += own;
  }

  const OverlapOptions& options_;
  const TakeFunctionOverlap& take_;
  ProfileOverlap& whole_;
  Sum base_{Rules::llvm};
  std::vector<ValueCount> base_values_, test_values_;  // of the functions that are compared
};

}  // namespace

Result<ProfileOverlap> compute_overlap(const OverlapInputs& inputs, const OverlapOptions& options,
                                       const TakeFunctionOverlap& take) {
  ProfileOverlap overlap;
  overlap.base = TRY_IN(inputs.base_path, amounts_of(inputs.base, options.context_sensitive));
  overlap.test = TRY_IN(inputs.test_path, amounts_of(inputs.test, options.context_sensitive));
  if (overlap.empty()) return overlap;
  Comparison comparison(options, take, overlap);
  TRY_IN(inputs.base_path, comparison.read_base(inputs.base));
  Facts facts;
  TRY_IN(inputs.test_path, read(inputs.test, facts, [&](const Record& record) -> Status {
           comparison.compare(record);
           return {};
         }));
  return overlap;
}

}  // namespace pgokit::instr_profile
