#include "instrument/hotness.h"

#include <algorithm>
#include <map>

#include "base/function_name.h"
#include "base/saturated.h"
#include "instrument/facts.h"
#include "instrument/plain_names.h"

namespace pgokit::instrument {
namespace {

struct Version {
  std::string_view name;
  u64 checksum = 0;
  auto operator<=>(const Version&) const = default;
};

struct Runs {
  u64 work = 0, calls = 0;
  u64 inlined = 0;    // work of code that has it inlined
  bool known = true;  // whether it ran
  bool ran = false;
  bool counted = false;  // how often, too
};

// The smallest of the fewest numbers that make up so much of the sum; 0: there are none.
u64 threshold(std::vector<u64> numbers, double percent) {
  std::ranges::sort(numbers, std::greater{});
  unsigned __int128 sum = 0, so_far = 0;
  for (u64 number : numbers) sum += number;
  const auto wanted = static_cast<double>(sum) * percent / 100;
  for (u64 number : numbers) {
    so_far += number;
    if (static_cast<double>(so_far) >= wanted) return number;
  }
  return 0;
}

class Thermometer {
 public:
  Runs& runs(const Version& version) { return functions_[version]; }

  // What is inlined has a name alone: it is any function of that name. Of those without code of
  // their own the map may tell file and checksum.
  void add_inlined(const InlinedRuns& inlined, bool counted, const Profile& profile) {
    std::vector<PlainNames> names(profile.modules.begin(), profile.modules.end());
    std::multimap<std::string_view, Runs*> by_name;
    for (auto& [version, runs] : functions_) by_name.emplace(plain_name(version.name), &runs);
    for (const auto& [full_name, work] : inlined) {
      auto name = canonical_function_name(full_name);
      auto [first, last] = by_name.equal_range(name);
      if (first == last)
        first = by_name.emplace(name, &functions_[source_of(name, profile, names)]);
      for (; first != by_name.end() && first->first == name; ++first) {
        auto& runs = *first->second;
        runs.ran = true;
        runs.counted = runs.counted || counted;
        runs.inlined = add_saturated(runs.inlined, work);
      }
    }
  }

  static Version source_of(std::string_view name, const Profile& profile,
                           const std::vector<PlainNames>& names) {
    for (size_t i = 0; i < names.size(); ++i)
      if (auto source = names[i].source_name(name); !source.empty())
        return {source, profile.modules[i].checksum(source)};
    return {name};
  }

  std::vector<FunctionHotness> read(const HotnessOptions& options) const {
    const u64 hot = threshold_of(&Runs::work, options.hot_percent),
              often = threshold_of(&Runs::calls, options.hot_percent);
    std::vector<FunctionHotness> list;
    for (const auto& [version, runs] : functions_) {
      if (!runs.ran && !runs.known) continue;
      FunctionHotness each{.name = std::string(version.name),
                           .checksum = version.checksum,
                           .work = add_saturated(runs.work, runs.inlined)};
      const bool is_hot = runs.counted && hot > 0 && each.work >= hot;
      each.hotness = is_hot ? Hotness::hot : runs.ran ? Hotness::warm : Hotness::cold;
      each.often_called = is_hot && often > 0 && runs.calls >= often;
      list.push_back(std::move(each));
    }
    return list;
  }

 private:
  u64 threshold_of(u64 Runs::* number, double percent) const {
    std::vector<u64> numbers;
    for (const auto& [version, runs] : functions_)
      if (runs.counted && runs.*number > 0) numbers.push_back(runs.*number);
    return threshold(std::move(numbers), percent);
  }

  std::map<Version, Runs> functions_;
};

// With what is inlined in it, whose samples are those of other functions. Gives the sum of both: a
// function without any, as where it is inlined in code that was not sampled, tells nothing.
u64 add_samples(Thermometer& thermometer, const profile::Profile& profile,
                const profile::FunctionSamples& samples, u64 calls, unsigned depth) {
  u64 own = 0, sum = calls;
  for (const auto& [place, record] : samples.body) own = add_saturated(own, record.samples);
  sum = add_saturated(sum, own);
  if (depth < profile::max_inline_depth)
    for (const auto& [place, inlinees] : samples.inlinees)
      for (const auto& [name, inlinee] : inlinees)
        sum = add_saturated(sum, add_samples(thermometer, profile, *inlinee,
                                             inlinee->entry_estimate(false), depth + 1));
  if (sum == 0) return 0;
  auto& runs = thermometer.runs({profile.names.text(samples.name)});
  runs.ran = runs.counted = true;
  runs.calls = add_saturated(runs.calls, calls);
  runs.work = add_saturated(runs.work, own);
  return sum;
}

}  // namespace

std::string_view hotness_name(Hotness hotness) {
  constexpr std::string_view names[] = {"cold", "warm", "hot"};
  return names[static_cast<size_t>(hotness)];
}

std::vector<FunctionHotness> hotness_of(const Profile& profile, const InlinedRuns& inlined,
                                        const HotnessOptions& options) {
  constexpr u32 counts = MIP_CALLS32 | MIP_CALLS64 | MIP_BLOCKS64;
  Thermometer thermometer;
  bool counted = false;
  for (const auto& module : profile.modules) {
    counted = counted || module.all_kinds() & counts;
    for (const auto& facts : facts_of(module).functions) {
      const auto& function = module.functions[facts.function];
      auto name = module.source_name(function);
      auto& runs = thermometer.runs({name, module.checksum(name)});
      runs.work = add_saturated(runs.work, function.kinds & counts ? facts.work : facts.ran_dumps);
      runs.calls = add_saturated(runs.calls, facts.calls);
      runs.ran = runs.ran || facts.ran;
      runs.known = runs.known && module.data.dumps > 0 && function.kinds & module.kinds_of_runs();
      runs.counted = runs.counted || function.kinds & counts;
    }
  }
  thermometer.add_inlined(inlined, counted, profile);
  return thermometer.read(options);
}

std::vector<FunctionHotness> hotness_of(const profile::Profile& samples,
                                        const HotnessOptions& options) {
  Thermometer thermometer;
  for (const auto& function : samples.functions())
    add_samples(thermometer, samples, function.samples, function.samples.head, 0);
  for (u32 i = 0; i < samples.symbols.size(); ++i)
    thermometer.runs({samples.symbols.text(NameId{i})});
  return thermometer.read(options);
}

}  // namespace pgokit::instrument
