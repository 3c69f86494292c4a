#include "analysis/old_functions.h"

#include <algorithm>

#include "base/saturated.h"

namespace pgokit::analysis {
namespace {

using profile::FunctionSamples;
using profile::LineLocation;

class Collector {
 public:
  explicit Collector(const profile::Profile& profile)
      : of_chains_(profile.flags.context_sensitive || profile.flags.pre_inlined),
        functions_(profile.names.size()) {
    for (const auto& [context, samples] : profile.functions()) {
      add(samples);
      function(samples.name).ran |= samples.total > 0;
      auto id = context;
      for (auto parent = profile.contexts.node(id).parent; parent != profile::ContextId::none;
           id = parent, parent = profile.contexts.node(id).parent) {
        const auto& node = profile.contexts.node(id);
        add_site(profile.contexts.node(parent).function, node.call_site, node.function);
      }
    }
    for (auto& function : functions_) tidy(function);
  }

  std::vector<OldFunction> take() && { return std::move(functions_); }

 private:
  OldFunction& function(NameId name) {
    auto& function = functions_[static_cast<size_t>(name)];
    function.used = true;
    return function;
  }

  void add_site(NameId caller, LineLocation at, NameId callee) {
    auto& owner = function(caller);
    owner.places.push_back(at);
    auto& anchor = owner.anchors.emplace_back();
    anchor.at = at;
    anchor.callees.push_back(callee);
    anchor.chain = of_chains_;
  }

  void add(const FunctionSamples& samples) {
    auto& own = function(samples.name);
    if (own.checksum == 0) own.checksum = samples.checksum;
    for (const auto& [at, record] : samples.body) {
      own.samples = add_saturated(own.samples, record.samples);
      own.places.push_back(at);
      own.counts.push_back({at, record.samples});
      if (record.targets)
        for (const auto& [callee, count] : *record.targets) add_site(samples.name, at, callee);
    }
    for (const auto& [at, callees] : samples.inlinees)
      for (const auto& [callee, inlinee] : callees) {
        // llvm-profgen's contexts have what was inlined and never ran by its packed discriminator
        if (of_chains_ && inlinee->total == 0) continue;
        add_site(samples.name, at, callee);
        add(*inlinee);
      }
  }

  static void tidy(OldFunction& function) {
    sum_counts(function.counts);
    std::ranges::sort(function.places);
    auto same = std::ranges::unique(function.places);
    function.places.erase(same.begin(), same.end());
    std::ranges::stable_sort(function.anchors, {}, &Anchor::at);
    std::vector<Anchor> merged;
    for (auto& anchor : function.anchors) {
      if (merged.empty() || merged.back().at != anchor.at)
        merged.push_back(std::move(anchor));
      else
        merged.back().callees.push_back(anchor.callees.front());
    }
    for (auto& anchor : merged) {
      std::ranges::sort(anchor.callees);
      auto rest = std::ranges::unique(anchor.callees);
      anchor.callees.erase(rest.begin(), rest.end());
    }
    function.anchors = std::move(merged);
  }

  static void sum_counts(std::vector<PlaceSamples>& counts) {
    std::ranges::sort(counts, {}, &PlaceSamples::at);
    size_t kept = 0;
    for (const auto& one : counts)
      if (kept > 0 && counts[kept - 1].at == one.at)
        counts[kept - 1].samples = add_saturated(counts[kept - 1].samples, one.samples);
      else
        counts[kept++] = one;
    counts.resize(kept);
  }

  bool of_chains_;
  std::vector<OldFunction> functions_;
};

class Charges {
 public:
  Charges(size_t names, const std::function<bool(NameId)>& is_lost)
      : is_lost_(is_lost), charged_(names) {}

  void add(const FunctionSamples& samples) { add(samples, nullptr); }
  std::vector<u64> take() && { return std::move(charged_); }

 private:
  // `lost`: what it is lost with; null: nothing.
  void add(const FunctionSamples& samples, const NameId* lost) {
    if (!lost && is_lost_(samples.name)) lost = &samples.name;
    u64& charged = charged_[static_cast<size_t>(lost ? *lost : samples.name)];
    for (const auto& [at, record] : samples.body.unordered())
      charged = add_saturated(charged, record.samples);
    for (const auto& [at, callees] : samples.inlinees.unordered())
      for (const auto& [callee, inlinee] : callees.unordered()) add(*inlinee, lost);
  }

  const std::function<bool(NameId)>& is_lost_;
  std::vector<u64> charged_;
};

}  // namespace

std::vector<OldFunction> old_functions(const profile::Profile& profile) {
  return Collector(profile).take();
}

std::vector<u64> charged_samples(const profile::Profile& profile,
                                 const std::function<bool(NameId)>& is_lost) {
  Charges charges(profile.names.size(), is_lost);
  for (const auto& function : profile.functions()) charges.add(function.samples);
  return std::move(charges).take();
}

bool have_discriminators(std::span<const OldFunction> functions) {
  return std::ranges::any_of(functions, [](const OldFunction& function) {
    return std::ranges::any_of(function.places,
                               [](LineLocation at) { return at.discriminator != 0; });
  });
}

}  // namespace pgokit::analysis
