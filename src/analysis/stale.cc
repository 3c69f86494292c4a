#include "analysis/stale.h"

#include <algorithm>

#include "analysis/function_match.h"
#include "analysis/renamed.h"
#include "base/function_name.h"
#include "base/saturated.h"

namespace pgokit::analysis {
namespace {

using profile::ContextId;
using profile::FunctionSamples;
using profile::LineLocation;
using profile::Profile;

class Matcher {
 public:
  Matcher(const Profile& old, const ProgramShape& shape, StaleReport& report)
      : old_(old),
        shape_(shape),
        report_(report),
        functions_(old_functions(old)),
        names_(old, shape, functions_),
        discriminators_(have_discriminators(functions_)),
        maps_(functions_.size()) {}

  Profile match() && {
    names_.find_renamed();
    // Lost as well if it was not matched.
    auto is_lost = [&](NameId name) {
      return !names_.has(name) || names_.is_renamed(name) || names_.is_from_other_path(name);
    };
    samples_ = charged_samples(old_, is_lost);
    for (u32 i = 0; i < functions_.size(); ++i)
      if (functions_[i].used) align(NameId{i});
    by_samples();
    return rebuild();
  }

 private:
  void align(NameId name) {
    const auto& old = functions_[static_cast<size_t>(name)];
    u64 samples = samples_[static_cast<size_t>(name)];
    add(report_.all, samples);
    if (!names_.has(name)) {
      add(report_.lost, samples);
      lost_.push_back(name);
      return;
    }
    const auto& now = shape_.functions[static_cast<size_t>(names_.at(name))];
    if (names_.is_renamed(name))
      report_.renamed.push_back({std::string(old_.names.text(name)),
                                 std::string(shape_.names.text(names_.at(name))), samples});
    if (names_.is_from_other_path(name)) add(report_.other_path, samples);
    auto match = match_function(old, names_.anchors_of(name), now, shape_, discriminators_);
    auto& map = maps_[static_cast<size_t>(name)] = std::move(match.map);
    if (!match.changed) return add(report_.unchanged, samples);
    add(report_.moved, samples);
    report_.call_sites += map.anchors;
    report_.call_sites_found += map.matched;
    report_.changed_without_call_sites += map.matched == 0;
    for (auto place : old.places) report_.places_moved += map.at(place) != place;
  }

  static void add(StaleReport::Functions& sum, u64 samples) {
    ++sum.functions;
    sum.samples = add_saturated(sum.samples, samples);
  }

  void by_samples() {
    std::ranges::sort(lost_, [&](NameId a, NameId b) {
      u64 left = samples_[static_cast<size_t>(a)], right = samples_[static_cast<size_t>(b)];
      return left != right ? left > right : old_.names.less(a, b);
    });
    for (NameId name : lost_) report_.lost_names.emplace_back(old_.names.text(name));
    std::ranges::sort(report_.renamed, [](const auto& a, const auto& b) {
      return a.samples != b.samples ? a.samples > b.samples : a.from < b.from;
    });
  }

  Profile rebuild() {
    Profile result;
    result.flags = old_.flags;
    result.notes = old_.notes;
    new_names_.resize(functions_.size());
    for (u32 i = 0; i < functions_.size(); ++i) new_names_[i] = intern(result, NameId{i});
    for (u32 i = 0; i < old_.symbols.size(); ++i)
      result.symbols.intern(names_.name_now(old_.symbols.text(NameId{i})));
    for (const auto& [context, samples] : old_.functions()) {
      if (!names_.has(samples.name)) continue;
      copy(samples, result.function(moved_context(result, context)));
    }
    result.sort();
    return result;
  }

  NameId intern(Profile& result, NameId old) const {
    if (!names_.is_renamed(old) && !names_.is_from_other_path(old))
      return result.names.intern_from(old_.names, old);
    auto text = shape_.names.text(names_.at(old));
    return old_.names.is_guid(old) ? result.names.intern_guid(function_guid(text))
                                   : result.names.intern(text);
  }

  NameId new_name(NameId old) const { return new_names_[static_cast<size_t>(old)]; }

  LineLocation moved(NameId function, LineLocation at) const {
    return maps_[static_cast<size_t>(function)].at(at);
  }

  // A caller that is gone takes its own callers with it.
  ContextId moved_context(Profile& result, ContextId context) const {
    auto frames = old_.contexts.frames(context);
    auto to = ContextId::none;
    LineLocation call_site;
    for (const auto& [function, location] : frames) {
      if (!names_.has(function)) {
        to = ContextId::none;
        continue;
      }
      if (to == ContextId::none) call_site = {};
      to = result.contexts.child(to, call_site, new_name(function));
      call_site = moved(function, location);
    }
    return to;
  }

  // Adds to what is there: two functions may have become one.
  void copy(const FunctionSamples& from, FunctionSamples& to) const {
    to.attributes |= from.attributes;
    if (shape_.has_probes)
      to.checksum = shape_.functions[static_cast<size_t>(names_.at(from.name))].checksum;
    to.add_head(from.head);
    to.add_total(from.total);
    copy_body(from, to);
    for (const auto& [at, callees] : from.inlinees)
      for (const auto& [callee, inlinee] : callees) {
        if (names_.has(callee))
          copy(*inlinee, to.inlinee(moved(from.name, at), new_name(callee)));
        else
          to.total -= std::min(to.total, inlinee->total);
      }
    if (!from.vtables) return;
    for (const auto& [at, counts] : *from.vtables)
      for (const auto& [vtable, count] : counts)
        to.add_vtable(moved(from.name, at), new_name(vtable), count);
  }

  // Two places that became one are one; the same place of two functions that became one adds up.
  void copy_body(const FunctionSamples& from, FunctionSamples& to) const {
    profile::FillMap<LineLocation, u64> counts;
    for (const auto& [at, record] : from.body) {
      auto place = moved(from.name, at);
      u64& count = counts[place];
      count = std::max(count, record.samples);
      if (!record.targets) continue;
      for (const auto& [callee, samples] : *record.targets)
        if (names_.has(callee)) to.add_target(place, new_name(callee), samples);
    }
    for (const auto& [place, count] : counts.unordered()) to.add_body(place, count);
  }

  const Profile& old_;
  const ProgramShape& shape_;
  StaleReport& report_;
  std::vector<OldFunction> functions_;
  NameMatch names_;
  bool discriminators_;
  std::vector<u64> samples_;    // by NameId of the profile, see charged_samples()
  std::vector<PlaceMap> maps_;  // by NameId of the profile
  std::vector<NameId> lost_;
  std::vector<NameId> new_names_;
};

}  // namespace

Profile match_profile(const Profile& old, const ProgramShape& shape, StaleReport& report) {
  return Matcher(old, shape, report).match();
}

}  // namespace pgokit::analysis
