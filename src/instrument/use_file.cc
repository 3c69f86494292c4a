#include "instrument/use_file.h"

#include <algorithm>
#include <map>

#include "base/printable.h"
#include "base/saturated.h"
#include "instrument/values.h"
#include "profile/model/function_samples.h"

namespace pgokit::instrument {
namespace {

struct Kind {
  u32 kind;
  const char* name;
};
constexpr Kind kinds[] = {{MIP_TARGETS, "call"}, {MIP_TABLES, "table"}, {MIP_SIZES, "size"}};

// One version of a function.
struct SourceFunction {
  std::string_view name;
  u64 checksum;
  auto operator<=>(const SourceFunction&) const = default;
};

struct Call {
  u32 kind, line, column, number;
  auto operator<=>(const Call&) const = default;
};

struct Sum {
  u64 total = 0;
  std::map<std::string, u64, std::less<>> values;
};

// Empty: it cannot be in the file.
std::string name_of(const Profile& profile, const SiteValue& value) {
  const auto& module = profile.modules[value.module];
  if (module.sites[value.site].kind == MIP_SIZES) return value_name(profile, value);
  if (value.to_module != value.module) return {};
  if (const auto* table = table_of(profile, value))
    return fmt::format("{}+{}", module.name(*table), value.value - table->address);
  const auto* function = module.find(value.value);
  if (!function || function->address != value.value) return {};
  return std::string(module.source_name(*function));
}

// Gives the number of targets whose names fit in no line.
u64 add(Sum& sum, const Profile& profile, const SiteSummary& site) {
  u64 unwritable = 0;
  sum.total = add_saturated(sum.total, site.total);
  for (const auto& value : site.values) {
    auto name = name_of(profile, value);
    if (name.empty()) continue;
    if (!fits_in_line(name)) {
      ++unwritable;
      continue;
    }
    u64& count = sum.values[std::move(name)];
    count = add_saturated(count, value.count);
  }
  return unwritable;
}

void print(std::string& text, u32 kind, const Call& call, const Sum& sum) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{} ", kinds[kind].name);
  call.number ? fmt::format_to(out, "{} ", call.number) : fmt::format_to(out, "- ");
  call.line == MIP_NO_LINE ? fmt::format_to(out, "- - ")
                           : fmt::format_to(out, "{} {} ", call.line, call.column);
  fmt::format_to(out, "{}\n", sum.total);
  std::vector<std::pair<std::string_view, u64>> values(sum.values.begin(), sum.values.end());
  std::ranges::stable_sort(values, std::greater{}, &std::pair<std::string_view, u64>::second);
  for (const auto& [name, count] : values) fmt::format_to(out, " {} {}\n", count, name);
}

using Calls = std::map<Call, Sum>;

struct Known {
  const FunctionHotness* hotness = nullptr;
  const FunctionPlaces* places = nullptr;
  Calls calls;
};

// Copies of a call have no number where code of several was put together. They are those of the
// only one in their line and column.
void find_numbers(Calls& calls) {
  for (auto it = calls.begin(); it != calls.end();) {
    auto place = [](const Call& call) { return std::tuple(call.kind, call.line, call.column); };
    auto next = std::next(it);
    auto end = std::find_if(next, calls.end(), [&](const auto& other) {
      return place(other.first) != place(it->first);
    });
    if (it->first.number == 0 && std::distance(it, end) == 2) {
      auto& [total, values] = next->second;
      total = add_saturated(total, it->second.total);
      for (const auto& [name, count] : it->second.values)
        values[name] = add_saturated(values[name], count);
      calls.erase(it);
    }
    it = end;
  }
}

void add_targets(std::map<SourceFunction, Known>& functions, UseFile& file,
                 const Profile& profile) {
  for (u32 k = 0; k < std::size(kinds); ++k)
    for (const auto& site : summaries_of(profile, kinds[k].kind)) {
      const auto& module = profile.modules[site.module];
      const auto& place = module.sites[site.site];
      auto name = module.source_name(place);
      bool fits = fits_in_line(name);
      u64 checksum = module.checksum(name);
      // A number tells nothing of other versions of the function.
      Call call{k, place.line, place.column, checksum ? place.number : 0};
      bool found = call.line != MIP_NO_LINE || call.number;
      file.without_place += !found;
      file.recorded = add_saturated(file.recorded, site.total);
      if (!found)
        file.recorded_without_place = add_saturated(file.recorded_without_place, site.total);
      file.unwritable += !fits;
      if (!found || !fits) continue;
      file.unwritable += add(functions[{name, checksum}].calls[call], profile, site);
    }
}

void print(std::string& text, const FunctionHotness& function) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}", hotness_name(function.hotness));
  if (function.hotness != Hotness::cold) fmt::format_to(out, " {}", function.work);
  fmt::format_to(out, "{}\n", function.often_called ? " often" : "");
}

void print(std::string& text, const FunctionPlaces& function) {
  for (bool ran : {true, false}) {
    text += ran ? "ran" : "never";
    for (const auto& place : function.places)
      if (place.ran == ran)
        fmt::format_to(std::back_inserter(text), " {}:{}", place.line, place.column);
    text += "\n";
  }
}

}  // namespace

UseFile use_file(const UseContents& contents) {
  UseFile file{.text = "# pgokit use 4\n"};
  std::map<SourceFunction, Known> functions;
  if (contents.targets) add_targets(functions, file, *contents.targets);
  for (const auto& each : contents.hotness) {
    const bool fits = fits_in_line(each.name);
    file.unwritable += !fits;
    if (fits) functions[{each.name, each.checksum}].hotness = &each;
  }
  for (const auto& each : contents.places) {
    const bool fits = fits_in_line(each.name);
    file.unwritable += !fits;
    if (fits) functions[{each.name, each.checksum}].places = &each;
  }
  for (auto& [function, known] : functions) {
    find_numbers(known.calls);
    auto checksum = function.checksum ? fmt::format("{:016x}", function.checksum) : "-";
    fmt::format_to(std::back_inserter(file.text), "function {} {}\n", checksum, function.name);
    if (known.hotness) print(file.text, *known.hotness);
    if (known.places) print(file.text, *known.places);
    for (const auto& [call, sum] : known.calls) print(file.text, call.kind, call, sum);
    file.calls += known.calls.size();
  }
  return file;
}

}  // namespace pgokit::instrument
