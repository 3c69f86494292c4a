#include "transform/nesting.h"

#include <algorithm>

#include "transform/preinline/context_tree.h"

namespace pgokit::transform {
namespace {

using profile::FunctionSamples;
using profile::LineLocation;

class Nesting {
 public:
  Nesting(profile::Profile& profile, const NestingOptions& options)
      : profile_(profile),
        options_(options),
        tree_(profile),
        height_(tree_.size()),
        own_(profile.names.size()) {}

  void run() {
    for (u32 node : tree_.children_first())
      if (node != ContextTree::root && tree_.samples(node)) place(node);
    profile::Contexts contexts;
    std::vector<std::pair<profile::ContextId, FunctionSamples>> kept;
    for (auto& samples : own_)
      if (samples) kept.emplace_back(contexts.top(samples->name), std::move(*samples));
    profile_.keep_if([](const auto&) { return false; });
    profile_.contexts = std::move(contexts);
    for (auto& [context, samples] : kept) profile_.function(context) = std::move(samples);
    profile_.flags.context_sensitive = false;
  }

 private:
  // All its inlinees are in place already.
  void place(u32 node) {
    auto& samples = *tree_.samples(node);
    drop_emptied_places(node, samples);
    u32 parent = tree_[node].parent;
    auto* caller = tree_.samples(parent);
    // Beyond the depth that readers take it stays a function.
    if (!caller || height_[node] + 2 >= profile::max_inline_depth) {
      auto& own = own_[static_cast<size_t>(samples.name)];
      if (own)
        add_to_own(samples);
      else
        own = std::make_unique<FunctionSamples>(std::move(samples));
      return;
    }
    height_[parent] = std::max(height_[parent], height_[node] + 1);
    if (options_.duplicate_into_base) add_to_own(samples);
    nest(node, samples, *caller);
  }

  void nest(u32 node, FunctionSamples& samples, FunctionSamples& caller) {
    LineLocation site = tree_[node].site;
    auto& inlinee = caller.inlinees[site][samples.name];
    caller.add_total(samples.total);
    u64 calls = take_calls(caller, site, samples.name);
    caller.total -= std::min(caller.total, calls);
    if (!inlinee) inlinee = std::make_unique<FunctionSamples>(std::move(samples));
    if (options_.duplicate_into_base) inlinee->attributes |= profile::duplicated_into_base;
  }

  // What is inlined is not called.
  static u64 take_calls(FunctionSamples& caller, LineLocation site, NameId callee) {
    auto* record = caller.body.find(site);
    auto* calls = record && record->targets ? record->targets->find(callee) : nullptr;
    if (!calls) return 0;
    u64 taken = std::min(*calls, record->samples);
    record->samples -= taken;
    record->targets->erase(callee);
    return taken;
  }

  // Places that nothing but calls of inlinees kept.
  void drop_emptied_places(u32 node, FunctionSamples& samples) const {
    std::vector<LineLocation> sites;
    for (u32 child : tree_[node].children)
      if (tree_.samples(child)) sites.push_back(tree_[child].site);
    if (sites.empty()) return;
    std::ranges::sort(sites);
    samples.body.erase_if([&](const auto& record) {
      return record.value.samples == 0 && std::ranges::binary_search(sites, record.key);
    });
  }

  void add_to_own(FunctionSamples& samples) {
    auto& own = own_[static_cast<size_t>(samples.name)];
    if (!own) {
      own = std::make_unique<FunctionSamples>();
      own->name = samples.name;
      merge(*own, samples);
      own->attributes = samples.attributes;
      return;
    }
    u32 attributes = own->attributes;  // those of the first one
    merge(*own, samples);
    own->attributes = attributes;
  }

  profile::Profile& profile_;
  const NestingOptions& options_;
  ContextTree tree_;
  std::vector<unsigned> height_;                       // by node: levels of inlinees in it
  std::vector<std::unique_ptr<FunctionSamples>> own_;  // by NameId
};

}  // namespace

void nest_contexts(profile::Profile& profile, const NestingOptions& options) {
  Nesting(profile, options).run();
}

}  // namespace pgokit::transform
