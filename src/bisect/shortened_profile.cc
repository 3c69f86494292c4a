#include "bisect/shortened_profile.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace pgokit::bisect {
namespace {

std::string_view name_of(const profile::Profile& profile, const profile::Function& function) {
  return profile.names.text(profile.contexts.node(function.context).function);
}

}  // namespace

Result<ShortenedProfile> ShortenedProfile::read(const std::string& path) {
  ShortenedProfile shortened(TRY(MappedFile::open(path)));
  auto read = TRY_IN(path, profile::read_profile_to_write(shortened.file_.bytes()));
  std::unordered_map<std::string, u64> totals;
  for (const auto& function : read.profile.functions()) {
    auto& total = totals[std::string(name_of(read.profile, function))];
    total = add_saturated(total, function.samples.total);
  }
  for (const auto& [name, total] : totals) shortened.functions_.push_back(name);
  std::ranges::sort(shortened.functions_, [&](const std::string& a, const std::string& b) {
    return std::pair(totals[b], std::string_view(a)) < std::pair(totals[a], std::string_view(b));
  });
  if (shortened.functions_.empty()) return fail("{}: no function is in it", path);
  shortened.by_probes_ = read.profile.flags.probe_based;
  shortened.most_sites_ = bisect::most_sites(read.profile);
  return shortened;
}

Result<profile::ReadProfile> ShortenedProfile::read_again() const {
  return TRY_IN(file_.path(), profile::read_profile_to_write(file_.bytes()));
}

Result<std::vector<Site>> ShortenedProfile::sites_of(size_t number) const {
  auto read = TRY(read_again());
  return bisect::sites_of(read.profile, functions_[number]);
}

Status ShortenedProfile::write_without(const LeftOut& left_out, const std::string& path) const {
  auto read = TRY(read_again());
  auto& profile = read.profile;
  std::unordered_set<std::string_view> gone;
  for (size_t n : left_out.functions) gone.insert(functions_[n]);
  for (const auto& [n, numbers] : left_out.sites) {
    auto sites = bisect::sites_of(profile, functions_[n]);
    if (!remove_sites(profile, functions_[n], sites, numbers)) gone.insert(functions_[n]);
  }
  profile.keep_if([&](const profile::Function& function) {
    return !gone.contains(name_of(profile, function));
  });
  profile.sort();
  // No compiler takes a file without functions.
  if (profile.functions().empty()) {
    auto& none = profile.function(profile.names.intern("pgokit.none"));
    none.add_total(1), none.add_head(1), none.add_body({1, 0}, 1);
  }
  Names symbols;
  for (size_t i = 0; i < profile.symbols.size(); ++i)
    if (auto name = profile.symbols.text(NameId(i)); !gone.contains(name)) symbols.intern(name);
  profile.symbols = std::move(symbols);
  auto format = read.format == profile::Format::compact ? profile::Format::extbinary : read.format;
  auto bytes = TRY_IN(file_.path(), write_profile(profile, format, {.md5_names = read.md5_names}));
  auto out = TRY(OutputFile::create(path));
  out.write(bytes);
  return out.commit();
}

}  // namespace pgokit::bisect
