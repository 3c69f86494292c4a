#include "transform/supplement.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

#include "base/saturated.h"
#include "base/unique_names.h"
#include "instr_profile/model/summary.h"

namespace pgokit::transform {
namespace {

using instr_profile::nothing;
using profile::FunctionSamples;

constexpr u64 factor = 3;  // how far above the threshold counts are raised
constexpr size_t hot_entry = 11, cold_entry = 15;
constexpr std::string_view unique_suffix = ".__uniq.";

size_t find_ignoring_case(std::string_view text, std::string_view what) {
  auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  auto found = std::ranges::search(text, what, same);
  return found.empty() ? text.npos : static_cast<size_t>(found.begin() - text.begin());
}

// Functions of the instrumentation profile by the names that samples know them by.
class NamesOfSamples {
 public:
  static constexpr u32 ambiguous = nothing - 1;

  NamesOfSamples(const instr_profile::Profile& counted, bool unique_names)
      : unique_names_(unique_names) {
    for (u32 i = 0; i < counted.functions.size(); ++i) {
      const auto& function = counted.functions[i];
      u32 first = counted.first_of_name(function.name);
      if (first != i || counted.functions[i].next_of_name != nothing) continue;
      auto name = counted.names.text(function.name);
      own_.emplace(name, i);
      add_static(name, i);
    }
  }

  // `nothing`: there is none.
  u32 own(std::string_view name) const {
    auto found = own_.find(name);
    return found == own_.end() ? nothing : found->second;
  }
  // Of a static function's name without its file; or ambiguous.
  u32 of_static(const std::string& name) const {
    auto found = static_.find(name);
    return found == static_.end() ? nothing : found->second;
  }

 private:
  void add_static(std::string_view full, u32 function) {
    for (std::string_view ending : {".cpp;", "cc;", ".c;", ".hpp;", ".h;"}) {
      size_t at = find_ignoring_case(full, ending);
      if (at == full.npos) continue;
      at += ending.size();
      return add_static(full.substr(0, at - 1), full.substr(at), function);
    }
  }
  void add_static(std::string_view file, std::string_view name, u32 function) {
    if (name.empty()) return;
    size_t unique = name.find(unique_suffix);
    bool is_unique = unique != name.npos;
    if (!is_unique && unique_names_) {
      static_[fmt::format("{}{}{}", name, unique_suffix, path_number(file))] = function;
      return;
    }
    if (is_unique && !unique_names_) name = name.substr(0, unique);
    auto [at, added] = static_.try_emplace(std::string(name), function);
    if (!added) at->second = ambiguous;
  }

  bool unique_names_;
  std::unordered_map<std::string_view, u32> own_;
  std::unordered_map<std::string, u32> static_;
};

// What the samples say of a function with all that was inlined into it.
struct Heat {
  u64 entries = 0, most = 0;
};

class Flattening {
 public:
  Flattening(const profile::Profile& samples, const NamesOfSamples& names)
      : samples_(samples), names_(names) {}

  // By function, and those that the instrumentation profile does not have by name.
  std::unordered_map<u32, Heat> functions;
  std::map<std::string, Heat> others;

  void add(const FunctionSamples& top) { add(top, {.name = name_of(top)}); }

 private:
  struct Root {
    u32 function = nothing;
    std::string name = {};  // where there is no function
  };

  std::string name_of(const FunctionSamples& function) const {
    return std::string(samples_.names.text(function.name));
  }

  void add(const FunctionSamples& from, Root root) {
    Heat heat{.entries = from.entry_estimate(samples_.flags.context_sensitive)};
    for (const auto& record : from.body) heat.most = std::max(heat.most, record.value.samples);
    auto name = name_of(from);
    if (u32 own = names_.own(name); own != nothing) {
      root = {.function = own};
    } else if (u32 one = names_.of_static(name); one == nothing) {
      heat.entries = 0;
    } else if (one != NamesOfSamples::ambiguous) {
      root = {.function = one};
    }
    auto& sum = root.function == nothing ? others[root.name] : functions[root.function];
    sum.entries += heat.entries;
    sum.most = std::max(sum.most, heat.most);
    for (const auto& [place, inlinees] : from.inlinees)
      for (const auto& [callee, inlinee] : inlinees) add(*inlinee, root);
  }

  const profile::Profile& samples_;
  const NamesOfSamples& names_;
};

struct Thresholds {
  u64 hot, cold;
};

Thresholds thresholds_of(const instr_profile::Profile& counted) {
  instr_profile::Summary summary;
  for (u32 i = 0; i < counted.functions.size(); ++i) summary.add(counted.record(i));
  auto entries = summary.at(instr_profile::summary_cutoffs);
  return {entries[hot_entry].min_count, entries[cold_entry].min_count};
}

class Raising {
 public:
  Raising(instr_profile::Profile& counted, const SupplementOptions& options)
      : counted_(counted), options_(options), thresholds_(thresholds_of(counted)) {
    if (options.cold_count) thresholds_.cold = options.cold_count;
  }

  void raise(u32 function, bool hot) {
    auto counters = counted_.counters_of(function);
    u64 largest = counters.empty() ? 0 : std::ranges::max(counters);
    if (counters.empty() || largest > thresholds_.cold || counters.size() < options_.least_counters)
      return;
    auto zeros = static_cast<float>(std::ranges::count(counters, 0u));
    // What is zero cannot be raised.
    if (largest == 0 || zeros / static_cast<float>(counters.size()) > options_.most_zeros) {
      counters[0] = hot ? ~u64{0} : ~u64{1};
      return;
    }
    u64 wanted = (hot ? thresholds_.hot : thresholds_.cold) * factor;
    if (wanted > largest) scale(function, wanted, largest);
  }

 private:
  void scale(u32 function, u64 numerator, u64 denominator) {
    for (u64& count : counted_.counters_of(function))
      count = std::min(multiply_saturated(count, numerator) / denominator,
                       instr_profile::largest_count);
    u32 values = counted_.functions[function].values;
    if (values == nothing) return;
    for (auto& value : counted_.values[values].values)
      value.count = multiply_saturated(value.count, numerator) / denominator;
  }

  instr_profile::Profile& counted_;
  const SupplementOptions& options_;
  Thresholds thresholds_;
};

bool has_unique_names(const profile::Profile& samples) {
  return std::ranges::any_of(samples.functions(), [&](const profile::Function& function) {
    auto name = samples.flags.context_sensitive
                    ? samples.contexts.text(function.context, samples.names)
                    : std::string(samples.names.text(function.samples.name));
    return name.contains(unique_suffix);
  });
}

}  // namespace

std::vector<std::string> supplement(instr_profile::Profile& counted, const Samples& samples,
                                    const SupplementOptions& options) {
  NamesOfSamples names(counted, has_unique_names(samples.profile));
  Flattening flattening(samples.profile, names);
  for (const auto& function : samples.profile.functions()) flattening.add(function.samples);
  u64 hot = samples.summary.count_at(profile::hot_cutoff),
      cold = samples.summary.count_at(profile::cold_cutoff);
  Raising raising(counted, options);
  for (const auto& [function, heat] : flattening.functions) {
    u64 most = std::max(heat.entries, heat.most);
    if (most >= cold) raising.raise(function, most >= hot);
  }
  std::vector<std::string> ambiguous;
  for (const auto& [name, heat] : flattening.others)
    if (std::max(heat.entries, heat.most) >= cold &&
        names.of_static(name) == NamesOfSamples::ambiguous)
      ambiguous.push_back(name);
  return ambiguous;
}

}  // namespace pgokit::transform
