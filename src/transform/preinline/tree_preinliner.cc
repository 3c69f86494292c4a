#include <numeric>

#include "transform/preinline/context_tree.h"
#include "transform/preinline/inline_decisions.h"
#include "transform/preinline/preinliner.h"

namespace pgokit::transform {
namespace {

using profile::FunctionSamples;

class TreePreinliner {
 public:
  TreePreinliner(profile::Profile& profile, const InlineSizes* sizes)
      : profile_(profile),
        sizes_(sizes),
        tree_(profile),
        node_of_(tree_.entries().size()),
        state_(tree_.entries().size()) {
    list_contexts();
  }

  CallGraph call_graph() const { return CallGraph(tree_, profile_.names); }

  std::optional<u32> take(NameId function) {
    u32 base = collect(function);
    if (base == ContextTree::none || !tree_.samples(base)) return std::nullopt;
    return base;
  }

  u32 size_of(u32 node) const {
    return sizes_ ? sizes_->of(frames_of(node))
                  : static_cast<u32>(tree_.samples(node)->body.size());
  }

  void add_candidates(u32 caller, InlineCandidates& candidates) const {
    for (u32 callee : tree_[caller].children)
      if (tree_.samples(callee))
        candidates.push(
            {callee, size_of(callee), calls_of(tree_, callee), tree_.guid(tree_[callee].function)});
  }

  bool was_inlined(u32 node) const {
    return tree_.samples(node)->attributes & profile::was_inlined;
  }

  u32 inline_candidate(u32 node) {
    state_[tree_[node].entry] = State::inlined;
    tree_.samples(node)->attributes |= profile::should_be_inlined;
    return node;
  }

  void store();

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

  std::vector<InlineSizes::Frame> frames_of(u32 node) const {
    std::vector<InlineSizes::Frame> frames;
    profile::LineLocation site;
    for (; node != ContextTree::root; node = tree_[node].parent) {
      frames.push_back({tree_.guid(tree_[node].function), site});
      site = tree_[node].site;
    }
    return frames;
  }

  profile::Profile& profile_;
  const InlineSizes* sizes_;
  ContextTree tree_;
  std::vector<u32> node_of_;  // by entry
  std::vector<State> state_;  // by entry
  std::vector<u32> first_;    // by NameId: where its entries are listed
  std::vector<u32> listed_;   // entries
};

// Contexts that are not inlined have been added to other profiles.
void TreePreinliner::store() {
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

}  // namespace

void preinline(profile::Profile& profile, const InlineSizes* sizes,
               const PreinlineOptions& options) {
  TreePreinliner store(profile, sizes);
  decide_inlining(store, options);
  store.store();
}

}  // namespace pgokit::transform
