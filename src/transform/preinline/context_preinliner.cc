#include "transform/preinline/context_preinliner.h"

#include <algorithm>
#include <optional>

#include "base/flat_map.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "transform/preinline/call_order.h"
#include "transform/preinline/context_groups.h"
#include "transform/preinline/context_sums.h"

namespace pgokit::transform {
namespace {

// A context of the result.
struct Kept {
  static constexpr u32 top = ~u32{0};
  u32 caller = top;  // among those kept
  u64 key = 0;
  NameId function{};
  profile::LineLocation site;
  u32 attributes = 0;
  ContextGroups::Members members;
};

// Calls in the contexts from `begin` to `end`, by the functions at both ends.
void add_calls(const generate::ContextSamples& samples, const ContextLinks& links, u32 begin,
               u32 end, FlatMap<u64>& calls) {
  tsl::robin_map<u64, u64, IntHash> targets;  // of a caller
  for (u32 caller = begin; caller < end; ++caller) {
    auto callees = links.children(caller);
    if (callees.empty() || caller == generate::ContextSamples::root) continue;
    targets.clear();
    for (const auto& target : samples.targets.of(caller)) {
      u64& sum = targets[links.key(target.callee, samples.locations[target.location])];
      sum = add_saturated(sum, target.count);
    }
    const auto& from = samples.contexts[caller];
    for (u32 callee : callees) {
      const auto& to = samples.contexts[callee];
      u64& sum = calls[u64{static_cast<u32>(from.function)} << 32 | static_cast<u32>(to.function)];
      if (!(from.flags & to.flags & generate::ContextSamples::has_samples)) continue;
      u64 entries = to.entries ? to.entries : u64{to.total > 0};
      auto called = targets.find(links.key(callee));
      sum += called == targets.end() ? entries : std::max(called->second, entries);
    }
  }
}

CallGraph call_graph(const generate::ContextSamples& samples, const ContextLinks& links,
                     unsigned threads) {
  constexpr size_t at_once = 1 << 14;
  std::vector<FlatMap<u64>> of_worker(worker_count(threads));
  parallel_for(
      (samples.size() + at_once - 1) / at_once, threads, [&](size_t piece, unsigned worker) {
        auto end = static_cast<u32>(std::min(samples.size(), (piece + 1) * at_once));
        add_calls(samples, links, static_cast<u32>(piece * at_once), end, of_worker[worker]);
      });
  std::vector<CallGraph::Edge> edges;
  for (const auto& calls : of_worker)
    calls.for_each([&](u64 key, u64 count) {
      edges.push_back({NameId(static_cast<u32>(key >> 32)), NameId(static_cast<u32>(key)), count});
    });
  std::vector<bool> used(samples.names.size());
  for (u32 i = 0; i < used.size(); ++i) used[i] = links.is_used(NameId{i});
  return CallGraph(samples.names, used, edges);
}

class ContextPreinliner {
 public:
  ContextPreinliner(const generate::ContextSamples& samples, const InlineSizes* sizes,
                    const PreinlineOptions& options, unsigned threads)
      : samples_(samples),
        sizes_(sizes),
        options_(options),
        threads_(threads),
        links_(samples, threads),
        groups_(samples, links_),
        places_(samples),
        sums_(samples, threads) {}

  // False: the judge's result is another.
  bool decide() {
    auto graph = call_graph(samples_, links_, threads_);
    graph.drop_calls_up_to(options_.cold_count);
    for (NameId function : graph.top_down(options_.sort_cycles)) visit(function);
    for (u32 i = 0; i < samples_.names.size(); ++i)
      if (auto members = groups_.left_on_top(NameId{i}); !members.empty())
        keep(Kept::top, NameId{i}, {}, members);
    return !groups_.is_irregular();
  }

  // What is decided is added up while more is being decided.
  profile::Profile add_up();

 private:
  u32 keep(u32 caller, NameId function, profile::LineLocation site, ContextGroups::Members members);
  u32 size_of(u32 caller, NameId function, profile::LineLocation site,
              ContextGroups::Members members);
  void add_candidates(u32 caller, std::vector<ContextGroups::Callee>& callees,
                      std::vector<u32>& callers, InlineCandidates& candidates);
  void visit(NameId function);
  std::vector<u32> breadth_first() const;

  const generate::ContextSamples& samples_;
  const InlineSizes* sizes_;
  const PreinlineOptions& options_;
  unsigned threads_;
  ContextLinks links_;
  ContextGroups groups_;
  generate::FunctionSamplesAccumulator places_;
  ContextSums sums_;  // of those kept
  std::vector<Kept> kept_;
  std::vector<InlineSizes::Frame> frames_;
};

u32 ContextPreinliner::keep(u32 caller, NameId function, profile::LineLocation site,
                            ContextGroups::Members members) {
  auto decisive = std::ranges::find_if(members, [&](u32 member) {
    return samples_.contexts[member].flags & generate::ContextSamples::has_samples;
  });
  bool was_inlined = samples_.contexts[*decisive].flags & generate::ContextSamples::was_inlined;
  kept_.push_back({caller, links_.key(function, site), function, site,
                   was_inlined ? profile::was_inlined : 0u, members});
  sums_.add(members);
  return static_cast<u32>(kept_.size() - 1);
}

u32 ContextPreinliner::size_of(u32 caller, NameId function, profile::LineLocation site,
                               ContextGroups::Members members) {
  if (!sizes_) {
    places_.add(members);
    auto size = static_cast<u32>(places_.places());
    places_.clear();
    return size;
  }
  frames_.assign(1, {links_.guid(function), {}});
  for (; caller != Kept::top; caller = kept_[caller].caller) {
    frames_.push_back({links_.guid(kept_[caller].function), site});
    site = kept_[caller].site;
  }
  return sizes_->of(frames_);
}

void ContextPreinliner::add_candidates(u32 caller, std::vector<ContextGroups::Callee>& callees,
                                       std::vector<u32>& callers, InlineCandidates& candidates) {
  for (const auto& callee : groups_.split(kept_[caller].members)) {
    candidates.push({static_cast<u32>(callees.size()),
                     size_of(caller, callee.function, callee.site, callee.members), callee.calls,
                     links_.guid(callee.function)});
    callees.push_back(callee);
    callers.push_back(caller);
  }
}

// Sizes are added up in 32 bits, as the judge does.
void ContextPreinliner::visit(NameId function) {
  auto members = groups_.take(function);
  if (members.empty()) return;
  u32 size = size_of(Kept::top, function, {}, members);
  u32 limit = growth_limit(size, options_);
  std::vector<ContextGroups::Callee> callees;  // by number of candidate
  std::vector<u32> callers;
  InlineCandidates candidates;
  add_candidates(keep(Kept::top, function, {}, members), callees, callers, candidates);
  while (!candidates.empty() && size < limit) {
    auto candidate = candidates.top();
    candidates.pop();
    auto callee = callees[candidate.node];
    bool was_inlined =
        samples_.contexts[callee.decisive].flags & generate::ContextSamples::was_inlined;
    if (!shall_inline(candidate, was_inlined, options_)) continue;
    groups_.inline_now(callee.members);
    u32 kept = keep(callers[candidate.node], callee.function, callee.site, callee.members);
    kept_[kept].attributes |= profile::should_be_inlined;
    size += candidate.size;
    add_candidates(kept, callees, callers, candidates);
  }
}

std::vector<u32> ContextPreinliner::breadth_first() const {
  std::vector<std::vector<u32>> callees(kept_.size() + 1);  // of the callers, tops last
  for (u32 i = 0; i < kept_.size(); ++i)
    callees[std::min<size_t>(kept_[i].caller, kept_.size())].push_back(i);
  for (auto& some : callees) std::ranges::sort(some, {}, [&](u32 i) { return kept_[i].key; });
  auto order = callees.back();
  for (size_t i = 0; i < order.size(); ++i)
    order.insert(order.end(), callees[order[i]].begin(), callees[order[i]].end());
  return order;
}

profile::Profile ContextPreinliner::add_up() {
  profile::Profile profile;
  std::vector<profile::ContextId> ids(kept_.size());
  auto sums = sums_.finish();
  for (u32 i : breadth_first()) {
    const auto& kept = kept_[i];
    auto caller = kept.caller == Kept::top ? profile::ContextId::none : ids[kept.caller];
    ids[i] = profile.contexts.child(caller, kept.site, kept.function);
    auto& samples = profile.function(ids[i]);
    samples = std::move(sums[i]);
    samples.name = kept.function;
    samples.attributes = kept.attributes;
    if (!samples_.checksums.empty())
      samples.checksum = samples_.checksums[static_cast<size_t>(kept.function)];
  }
  profile.flags = samples_.flags;
  profile.flags.pre_inlined = true;
  return profile;
}

}  // namespace

profile::Profile preinline(generate::ContextSamples samples, const InlineSizes* sizes,
                           const PreinlineOptions& options, unsigned threads) {
  std::optional<ContextPreinliner> preinliner(std::in_place, samples, sizes, options, threads);
  if (preinliner->decide()) {
    auto profile = preinliner->add_up();
    profile.names = std::move(samples.names);
    return profile;
  }
  preinliner.reset();
  auto profile = generate::to_profile(std::move(samples));
  preinline(profile, sizes, options);
  return profile;
}

}  // namespace pgokit::transform
