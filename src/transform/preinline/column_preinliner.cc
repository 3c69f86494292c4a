#include <algorithm>

#include "base/flat_map.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "transform/preinline/context_groups.h"
#include "transform/preinline/context_sums.h"
#include "transform/preinline/inline_decisions.h"
#include "transform/preinline/preinliner.h"

namespace pgokit::transform {
namespace {

// A context of the result, or one that may become one.
struct Kept {
  static constexpr u32 top = ~u32{0};
  u32 caller = top;  // among those kept
  ContextGroups::Callee context;
};

// Calls in the contexts from `begin` to `end`, by the functions at both ends.
void add_calls(const generate::ContextSamples& samples, u32 begin, u32 end, FlatMap<u64>& calls) {
  const auto& counts = samples.counts;
  for (u32 callee = std::max(begin, 1u); callee < end; ++callee) {
    const auto& to = samples.contexts[callee];
    if (to.parent == generate::ContextSamples::root) continue;
    u64 caller = static_cast<u32>(samples.function(to.parent));
    u64& sum = calls[caller << 32 | static_cast<u32>(samples.function(callee))];
    u32 flags = samples.contexts[to.parent].flags & to.flags;
    if (flags & generate::ContextSamples::has_samples)
      sum += std::max(counts.get(to.called),
                      profile::estimated_entries(counts.get(to.entries), counts.get(to.total)));
  }
}

// Threads list all contexts for what comes next while others begin with the calls.
CallGraph call_graph(const generate::ContextSamples& samples, ContextIndex& index,
                     unsigned threads) {
  Chunks chunks{samples.size(), 1 << 14};
  std::vector<FlatMap<u64>> of_worker(worker_count(threads));
  parallel_for(2 + chunks.count(), threads, [&](size_t piece, unsigned worker) {
    if (piece == 0) return index.rank_all();
    if (piece == 1) return index.list_functions();
    add_calls(samples, static_cast<u32>(chunks.begin(piece - 2)),
              static_cast<u32>(chunks.end(piece - 2)), of_worker[worker]);
  });
  std::vector<CallGraph::Edge> edges;
  for (const auto& calls : of_worker)
    calls.for_each([&](u64 key, u64 count) {
      edges.push_back({NameId(static_cast<u32>(key >> 32)), NameId(static_cast<u32>(key)), count});
    });
  std::vector<bool> used(samples.names.size());
  for (const auto& call : samples.calls) used[static_cast<size_t>(call.callee)] = true;
  return CallGraph(samples.names, used, edges);
}

class ColumnPreinliner {
 public:
  ColumnPreinliner(const generate::ContextSamples& samples, const InlineSizes* sizes,
                   unsigned threads)
      : samples_(samples),
        sizes_(sizes),
        threads_(threads),
        places_(samples),
        sums_(samples, threads),
        leaves_(samples.names.size()) {}

  CallGraph call_graph() {
    auto graph = transform::call_graph(samples_, index_.emplace(samples_), threads_);
    groups_.emplace(samples_, *index_);
    return graph;
  }
  std::optional<u32> take(NameId function);
  u32 size_of(u32 kept) { return size_of(kept_[kept]); }
  void add_candidates(u32 caller, InlineCandidates& candidates);
  bool was_inlined(u32 candidate) const { return was_inlined(candidates_[candidate]); }
  u32 inline_candidate(u32 candidate);

  // Functions that nobody visited. False: the result of llvm-profgen is another.
  bool keep_others();
  // What is decided is added up while more is being decided.
  profile::Profile add_up();

 private:
  u32 keep(Kept kept);
  u32 keep_top(ContextGroups::Members members);
  u32 size_of(const Kept& kept);
  u32 size_below_callers(const Kept& kept, InlineSizes::Walk walk) const;
  NameId function_of(const Kept& kept) const { return samples_.calls[kept.context.call].callee; }
  u64 guid_of(const Kept& kept) const { return samples_.guid(function_of(kept)); }
  bool was_inlined(const Kept& kept) const {
    return samples_.contexts[kept.context.decisive].flags & generate::ContextSamples::was_inlined;
  }
  std::vector<u32> breadth_first() const;

  const generate::ContextSamples& samples_;
  const InlineSizes* sizes_;
  unsigned threads_;
  std::optional<ContextIndex> index_;
  std::optional<ContextGroups> groups_;
  generate::FunctionSamplesAccumulator places_;
  ContextSums sums_;  // of those kept
  std::vector<Kept> kept_;
  std::vector<Kept> candidates_;  // of the function at hand
  // By NameId: what is known of the size of the function by itself, and whether callers matter.
  std::vector<std::pair<InlineSizes::Walk, bool>> leaves_;
};

u32 ColumnPreinliner::keep(Kept kept) {
  kept_.push_back(kept);
  sums_.add(kept.context.members);
  return static_cast<u32>(kept_.size() - 1);
}

u32 ColumnPreinliner::keep_top(ContextGroups::Members members) {
  auto decisive = std::ranges::find_if(members, [&](u32 member) {
    return samples_.contexts[member].flags & generate::ContextSamples::has_samples;
  });
  u32 call = samples_.contexts[*decisive].call;  // of its function, wherever that is called
  return keep({Kept::top, {.call = call, .decisive = *decisive, .members = members}});
}

std::optional<u32> ColumnPreinliner::take(NameId function) {
  candidates_.clear();
  auto members = groups_->take(function);
  if (members.empty()) return std::nullopt;
  return keep_top(members);
}

bool ColumnPreinliner::keep_others() {
  for (u32 i = 0; i < samples_.names.size(); ++i)
    if (auto members = groups_->left_on_top(NameId{i}); !members.empty()) keep_top(members);
  return !groups_->is_irregular();
}

u32 ColumnPreinliner::size_of(const Kept& kept) {
  if (!sizes_) {
    places_.add(kept.context.members);
    auto size = static_cast<u32>(places_.places());
    places_.clear();
    return size;
  }
  auto& [walk, goes_on] = leaves_[static_cast<size_t>(function_of(kept))];
  if (walk.at == 0) goes_on = sizes_->add({guid_of(kept), {}}, walk);
  return goes_on ? size_below_callers(kept, walk) : sizes_->bytes(walk);
}

// With the callers that it is to be inlined into.
u32 ColumnPreinliner::size_below_callers(const Kept& kept, InlineSizes::Walk walk) const {
  for (const auto* at = &kept; at->caller != Kept::top;) {
    auto site = samples_.calls[at->context.call].site;
    at = &kept_[at->caller];
    if (!sizes_->add({guid_of(*at), site}, walk)) break;
  }
  return sizes_->bytes(walk);
}

void ColumnPreinliner::add_candidates(u32 caller, InlineCandidates& candidates) {
  for (const auto& callee : groups_->split(kept_[caller].context.members)) {
    candidates_.push_back({caller, callee});
    candidates.push({static_cast<u32>(candidates_.size() - 1), size_of(candidates_.back()),
                     callee.calls, guid_of(candidates_.back())});
  }
}

u32 ColumnPreinliner::inline_candidate(u32 candidate) {
  groups_->inline_now(candidates_[candidate].context);
  return keep(candidates_[candidate]);
}

std::vector<u32> ColumnPreinliner::breadth_first() const {
  std::vector<std::vector<u32>> callees(kept_.size() + 1);  // of the callers, tops last
  for (u32 i = 0; i < kept_.size(); ++i)
    callees[std::min<size_t>(kept_[i].caller, kept_.size())].push_back(i);
  for (auto& some : callees)
    std::ranges::sort(some, {}, [&](u32 i) { return kept_[i].context.call; });
  std::ranges::sort(callees.back(), {}, [&](u32 i) { return guid_of(kept_[i]); });
  auto order = callees.back();
  for (size_t i = 0; i < order.size(); ++i)
    order.insert(order.end(), callees[order[i]].begin(), callees[order[i]].end());
  return order;
}

profile::Profile ColumnPreinliner::add_up() {
  profile::Profile profile;
  std::vector<profile::ContextId> ids(kept_.size());
  auto sums = sums_.finish();

  groups_.reset();
  index_.reset();
  for (u32 i : breadth_first()) {
    const auto& [caller, context] = kept_[i];
    bool top = caller == Kept::top;
    NameId function = function_of(kept_[i]);
    ids[i] = top ? profile.contexts.top(function)
                 : profile.contexts.child(ids[caller], samples_.site(context.decisive), function);
    auto& samples = profile.function(ids[i]);
    samples = std::move(sums[i]);
    samples.name = function;
    samples.attributes = (was_inlined(kept_[i]) ? profile::was_inlined : 0u) |
                         (top ? 0u : profile::should_be_inlined);
    if (!samples_.checksums.empty())
      samples.checksum = samples_.checksums[static_cast<size_t>(function)];
  }
  profile.flags = samples_.flags;
  profile.flags.pre_inlined = true;
  return profile;
}

}  // namespace

profile::Profile preinline(generate::ContextSamples samples, const InlineSizes* sizes,
                           const PreinlineOptions& options, unsigned threads) {
  std::optional<ColumnPreinliner> store(std::in_place, samples, sizes, threads);
  decide_inlining(*store, options);

  if (store->keep_others()) {
    auto profile = store->add_up();
    profile.names = std::move(samples.names);
    return profile;
  }
  store.reset();
  auto profile = generate::to_profile(std::move(samples));
  preinline(profile, sizes, options);
  return profile;
}

}  // namespace pgokit::transform
