#include "analysis/quality.h"

#include <algorithm>

#include "analysis/function_match.h"
#include "analysis/renamed.h"
#include "base/saturated.h"
#include "base/share.h"

namespace pgokit::analysis {
namespace {

using profile::Columns;

struct Flow {
  u64 entries = 0, calls = 0;
  bool has_body = false;
};

u64 difference(const Quality::Odd& odd) {
  return std::max(odd.entries, odd.calls) - std::min(odd.entries, odd.calls);
}

class FlowMeasure {
 public:
  explicit FlowMeasure(const Columns& columns) : columns_(columns), flows_(columns.names.size()) {
    for (const auto& top : columns.functions) {
      Flow& flow = flows_[columns.node(top).name];
      flow.entries = add_saturated(flow.entries, columns.node(top).head);
      flow.has_body = true;
    }
    for (const auto& part : columns.parts)
      for (u32 node = 0; node < part.nodes.size(); ++node) add_calls(part, node);
  }

  void tell(Quality& quality) const {
    u64 smaller = 0, larger = 0;
    std::string scratch;
    for (u32 name = 0; name < flows_.size(); ++name) {
      const auto& [entries, calls, has_body] = flows_[name];
      if (!has_body || entries == 0 || calls == 0) continue;
      ++quality.functions_with_calls;
      smaller = add_saturated(smaller, std::min(entries, calls));
      larger = add_saturated(larger, std::max(entries, calls));
      if (entries != calls)
        quality.odd.push_back({std::string(columns_.text(name, scratch)), entries, calls});
    }
    if (larger) quality.entries_match_calls = share(smaller, larger);
    if (calls_) quality.calls_beyond_places = share(beyond_, calls_);
    std::ranges::stable_sort(quality.odd, std::greater<>(), difference);
    constexpr size_t most = 5;
    if (quality.odd.size() > most) quality.odd.resize(most);
  }

 private:
  void add_calls(const Columns::Part& part, u32 node) {
    auto targets = part.targets_of(node);
    for (size_t i = 0; i < targets.size();) {
      u64 sum = 0;
      u32 place = targets[i].place;
      for (; i < targets.size() && targets[i].place == place; ++i) {
        sum = add_saturated(sum, targets[i].count);
        Flow& flow = flows_[targets[i].name];
        flow.calls = add_saturated(flow.calls, targets[i].count);
      }
      calls_ = add_saturated(calls_, sum);
      u64 samples = part.places[place].samples;
      if (sum > samples) beyond_ = add_saturated(beyond_, sum - samples);
    }
  }

  const Columns& columns_;
  std::vector<Flow> flows_;  // by name
  u64 calls_ = 0, beyond_ = 0;
};

class FitMeasure {
 public:
  FitMeasure(const profile::Profile& profile, const ProgramShape& shape)
      : profile_(profile),
        shape_(shape),
        functions_(old_functions(profile)),
        names_(profile, shape, functions_),
        discriminators_(have_discriminators(functions_)),
        samples_(charged_samples(profile, [&](NameId name) { return is_lost(name); })),
        covered_(shape.functions.size()) {}

  Fit measure() && {
    fit_.code_bytes = shape_.code_bytes;
    for (u32 i = 0; i < functions_.size(); ++i)
      if (functions_[i].used) take(NameId{i}, functions_[i]);
    tell(vanished_, fit_.vanished_names);
    tell(changed_, fit_.changed_names);
    return std::move(fit_);
  }

 private:
  // Under its name, which is what a compiler looks for.
  bool is_lost(NameId name) const { return !names_.has(name) || names_.is_from_other_path(name); }

  void add(Fit::Part& part, NameId function) const {
    ++part.functions;
    part.samples = add_saturated(part.samples, samples_[static_cast<size_t>(function)]);
  }

  void take(NameId name, const OldFunction& function) {
    add(fit_.all, name);
    bool other_path = names_.is_from_other_path(name);
    if (other_path) add(fit_.other_path, name);
    auto& told = fit_.functions.emplace_back(
        Fit::Function{name, {}, Fit::State::unchanged, samples_[static_cast<size_t>(name)]});
    if (names_.has(name)) told.now = names_.at(name);
    if (is_lost(name)) {
      told.state = other_path ? Fit::State::other_path : Fit::State::vanished;
      add(fit_.vanished, name);
      if (!other_path) vanished_.push_back(name);
      return;
    }
    const auto& now = shape_.functions[static_cast<size_t>(names_.at(name))];
    if (function.ran) cover(now.folded_into.value_or(names_.at(name)));
    auto match = match_function(function, names_.anchors_of(name), now, shape_, discriminators_);
    fit_.call_sites += match.call_sites;
    fit_.call_sites_there += match.call_sites_there;
    if (!match.changed) return;
    told.state = Fit::State::changed;
    add(fit_.changed, name);
    changed_.push_back(name);
  }

  void cover(NameId owner) {
    auto at = static_cast<size_t>(owner);
    if (!covered_[at]) fit_.covered_bytes += shape_.functions[at].code_bytes;
    covered_[at] = true;
  }

  void tell(std::vector<NameId>& names, std::vector<std::string>& texts) const {
    std::ranges::stable_sort(names, std::greater<>(),
                             [&](NameId name) { return samples_[static_cast<size_t>(name)]; });
    for (NameId name : names) texts.emplace_back(profile_.names.text(name));
  }

  const profile::Profile& profile_;
  const ProgramShape& shape_;
  std::vector<OldFunction> functions_;
  NameMatch names_;
  bool discriminators_;
  std::vector<u64> samples_;   // by NameId, see charged_samples()
  std::vector<bool> covered_;  // by NameId of the program
  std::vector<NameId> vanished_, changed_;
  Fit fit_;
};

}  // namespace

double Fit::stale_share() const { return share(vanished.samples + changed.samples, all.samples); }
double Fit::covered_share() const { return share(covered_bytes, code_bytes); }

Quality measure_quality(const Columns& profile, double density) {
  Quality quality;
  quality.functions = profile.functions.size();
  quality.density = density;
  for (const auto& part : profile.parts) {
    quality.places += part.places.size();
    for (const auto& place : part.places)
      quality.samples = add_saturated(quality.samples, place.samples);
  }
  FlowMeasure(profile).tell(quality);
  return quality;
}

Fit measure_fit(const profile::Profile& profile, const ProgramShape& shape) {
  return FitMeasure(profile, shape).measure();
}

}  // namespace pgokit::analysis
