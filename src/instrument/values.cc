#include "instrument/values.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>

#include "base/sort_and_sum.h"
#include "profile/model/function_samples.h"

namespace pgokit::instrument {
namespace {

constexpr u64 most_plausible = u64{1} << 56;

auto place(const SiteValue& v) { return std::tie(v.module, v.site, v.to_module, v.value); }

class ValueReader {
 public:
  ValueReader(const Module& module, const Dump& dump) : module_(module), dump_(dump) {
    read_.dropped.resize(module.sites.size());
    rows_.resize(module.sites.size());
  }

  DumpedValues read() {
    read_rows();
    for (u32 i = 0; i < module_.sites.size(); ++i) read_site(i);
    std::erase_if(read_.values, [&](const DumpedValue& v) { return rows_[v.site] == no_sum; });
    return std::move(read_);
  }

 private:
  static constexpr u64 no_sum = ~u64{0};

  void read_rows() {
    std::vector<std::pair<u64, u32>> by_offset;
    by_offset.reserve(module_.sites.size());
    for (u32 i = 0; i < module_.sites.size(); ++i) by_offset.emplace_back(module_.sites[i].raw, i);
    std::ranges::sort(by_offset);
    for (size_t i = 0; i < dump_.targets.size(); ++i) {
      const auto& row = dump_.targets[i];
      if (row.site == 0 || row.count == 0) continue;
      auto found =
          std::ranges::lower_bound(by_offset, u64{row.site}, {}, &std::pair<u64, u32>::first);
      if (found == by_offset.end() || found->first != row.site) {
        ++read_.unknown;
        continue;
      }
      u64& sum = rows_[found->second];
      sum = sum == no_sum || row.count > most_plausible ? no_sum : add_saturated(sum, row.count);
      read_.values.push_back({found->second, row.module, row.value, row.count});
    }
  }

  void read_site(u32 number) {
    u64 at = module_.sites[number].raw;
    u64& rows = rows_[number];
    if (at > dump_.raw.size() || dump_.raw.size() - at < sizeof(mip_site)) {
      rows = no_sum;
      return;
    }
    mip_site site;
    std::memcpy(&site, dump_.raw.data() + at, sizeof site);
    // Of what threads lose, `taken` may be the larger one.
    if (site.hits > most_plausible || site.taken > most_plausible || rows > most_plausible) {
      ++read_.implausible;
      rows = no_sum;
      return;
    }
    if (site.hits > site.taken)
      read_.values.push_back({number, site.module, site.value, site.hits - site.taken});
    u64 taken = std::min(site.taken, site.hits);
    read_.dropped[number] = taken > rows ? taken - rows : 0;
  }

  const Module& module_;
  const Dump& dump_;
  DumpedValues read_;
  std::vector<u64> rows_;  // by site, their sum
};

}  // namespace

DumpedValues read_values(const Module& module, const Dump& dump) {
  return ValueReader(module, dump).read();
}

void fold_values(std::vector<SiteValue>& values) { sort_and_sum(values, place); }

std::vector<SiteSummary> summaries_of(const Profile& profile, u32 kind) {
  std::vector<SiteSummary> sites;
  size_t next = 0;
  const auto& values = profile.values;
  for (u32 m = 0; m < profile.modules.size(); ++m) {
    const auto& module = profile.modules[m];
    for (u32 s = 0; s < module.sites.size(); ++s) {
      SiteSummary site{.module = m, .site = s, .values = {}};
      if (s < module.data.values_dropped.size()) site.dropped = module.data.values_dropped[s];
      site.total = site.dropped;
      for (; next < values.size() &&
             std::tie(values[next].module, values[next].site) <= std::tie(m, s);
           ++next) {
        if (values[next].module != m || values[next].site != s) continue;
        site.values.push_back(values[next]);
        site.total = add_saturated(site.total, values[next].count);
      }
      std::ranges::stable_sort(site.values, std::greater{}, &SiteValue::count);
      if (site.total > 0 && module.sites[s].kind == kind) sites.push_back(std::move(site));
    }
  }
  std::ranges::stable_sort(sites, std::greater{}, &SiteSummary::total);
  return sites;
}

u64 covered(std::span<const SiteSummary> sites, size_t most) {
  u64 sum = 0;
  for (const auto& site : sites)
    for (size_t i = 0; i < std::min(most, site.values.size()); ++i)
      sum = add_saturated(sum, site.values[i].count);
  return sum;
}

const Table* table_of(const Profile& profile, const SiteValue& value) {
  if (value.to_module == SiteValue::nowhere ||
      profile.modules[value.module].sites[value.site].kind != MIP_TABLES)
    return nullptr;
  return profile.modules[value.to_module].find_table(value.value);
}

std::string value_name(const Profile& profile, const SiteValue& value) {
  return value_name(profile, value, [](std::string_view name) { return std::string(name); });
}

std::string value_name(const Profile& profile, const SiteValue& value,
                       const std::function<std::string(std::string_view)>& shown) {
  if (value.to_module == SiteValue::nowhere) {
    bool is_size = profile.modules[value.module].sites[value.site].kind == MIP_SIZES;
    return is_size ? fmt::format("{}", value.value) : fmt::format("{:#x}", value.value);
  }
  const auto& module = profile.modules[value.to_module];
  const auto* function = module.find(value.value);
  std::string text = fmt::format("{:#x}", value.value);
  if (const auto* table = table_of(profile, value)) {
    auto name = module.name(*table);
    text = shown(name.substr(name.rfind(';') + 1));
    if (value.value != table->address) text += fmt::format("+{}", value.value - table->address);
  } else if (function && function->address == value.value) {
    text = shown(module.name(*function));
  } else if (const auto* symbol = module.find_symbol(value.value)) {
    text = shown(symbol->name);
  }
  return value.to_module == value.module ? text : text + " in " + display_name(module);
}

}  // namespace pgokit::instrument
