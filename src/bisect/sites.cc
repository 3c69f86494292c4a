#include "bisect/sites.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace pgokit::bisect {
namespace {

using profile::FunctionSamples;
using profile::LineLocation;
using profile::Profile;
using Kind = Site::Kind;
using Key = std::tuple<Kind, LineLocation, std::string>;

NameId name_of(const Profile& profile, const profile::Function& function) {
  return profile.contexts.node(function.context).function;
}

// Calls visit(kind, at, callee, samples) for each site; of a place `callee` is that of nobody.
template <class Visit>
void each_site(const FunctionSamples& samples, Visit visit) {
  for (const auto& [at, record] : samples.body.unordered()) {
    visit(Kind::place, at, NameId{}, record.samples);
    if (!record.targets) continue;
    for (const auto& [callee, count] : record.targets->unordered())
      visit(Kind::target, at, callee, count);
  }
  for (const auto& [at, inlinees] : samples.inlinees.unordered())
    for (const auto& [callee, inlinee] : inlinees.unordered())
      visit(Kind::inlinee, at, callee, inlinee->total);
}

void take_from_total(FunctionSamples& samples, u64 count) {
  samples.total -= std::min(samples.total, count);
}

class Remover {
 public:
  Remover(const Profile& profile, const std::vector<Site>& sites, const Numbers& numbers)
      : names_(profile.names) {
    for (size_t n : numbers) gone_.emplace(sites[n].kind, sites[n].at, sites[n].callee);
  }

  void remove_from(FunctionSamples& samples) const {
    samples.body.erase_if([&](auto& entry) {
      auto& [at, record] = entry;
      if (!is_gone(Kind::place, at, {})) {
        remove_targets(at, record);
        return false;
      }
      take_from_total(samples, record.samples);
      if (samples.vtables) samples.vtables->erase(at);
      return true;
    });
    samples.inlinees.erase_if([&](auto& entry) {
      auto& [at, inlinees] = entry;
      inlinees.erase_if([&](const auto& one) {
        if (!is_gone(Kind::inlinee, at, names_.text(one.key))) return false;
        take_from_total(samples, one.value->total);
        return true;
      });
      return inlinees.empty();
    });
  }

 private:
  bool is_gone(Kind kind, LineLocation at, std::string_view callee) const {
    return gone_.contains(Key(kind, at, callee));
  }
  void remove_targets(LineLocation at, profile::BodyRecord& record) const {
    if (!record.targets) return;
    record.targets->erase_if(
        [&](const auto& target) { return is_gone(Kind::target, at, names_.text(target.key)); });
    if (record.targets->empty()) record.targets.reset();
  }

  const profile::NameTable& names_;
  std::set<Key> gone_;
};

}  // namespace

std::vector<Site> sites_of(const Profile& profile, std::string_view function) {
  std::map<Key, u64> samples;
  for (const auto& one : profile.functions()) {
    if (profile.names.text(name_of(profile, one)) != function) continue;
    each_site(one.samples, [&](Kind kind, LineLocation at, NameId callee, u64 count) {
      std::string name(kind == Kind::place ? std::string_view() : profile.names.text(callee));
      u64& sum = samples[{kind, at, std::move(name)}];
      sum = add_saturated(sum, count);
    });
  }
  std::vector<Site> sites;
  for (const auto& [key, count] : samples)
    sites.push_back(
        {std::get<Kind>(key), std::get<LineLocation>(key), std::get<std::string>(key), count});
  std::ranges::stable_sort(sites, [](const Site& a, const Site& b) {
    return std::pair(a.kind, b.samples) < std::pair(b.kind, a.samples);
  });
  return sites;
}

size_t most_sites(const Profile& profile) {
  std::unordered_map<NameId, size_t> counts;  // a site of several contexts as often
  size_t most = 0;
  for (const auto& one : profile.functions()) {
    size_t& count = counts[name_of(profile, one)];
    each_site(one.samples, [&](auto&&...) { ++count; });
    most = std::max(most, count);
  }
  return most;
}

bool remove_sites(Profile& profile, std::string_view function, const std::vector<Site>& sites,
                  const Numbers& numbers) {
  Remover remover(profile, sites, numbers);
  bool left = false;
  auto is_meant = [&](const profile::Function& one) {
    return profile.names.text(name_of(profile, one)) == function;
  };
  auto has_sites = [](const FunctionSamples& samples) {
    return !samples.body.empty() || !samples.inlinees.empty();
  };
  for (auto& one : profile.functions()) {
    if (!is_meant(one)) continue;
    remover.remove_from(one.samples);
    left |= has_sites(one.samples);
  }
  profile.keep_if(
      [&](const profile::Function& one) { return !is_meant(one) || has_sites(one.samples); });
  return left;
}

}  // namespace pgokit::bisect
