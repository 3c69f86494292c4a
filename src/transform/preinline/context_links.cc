#include "transform/preinline/context_links.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "transform/preinline/context_tree.h"

namespace pgokit::transform {
namespace {

// Contexts in use by what `of` says, in two arrays; within a group in the order of their numbers.
template <class Of>
void group(const generate::ContextSamples& samples, size_t groups, std::vector<u32>& first,
           std::vector<u32>& members, const Of& of) {
  first.assign(groups + 1, 0);
  auto each = [&](const auto& visit) {
    for (u32 id = 1; id < samples.size(); ++id)
      if (const auto& context = samples.contexts[id];
          context.flags & generate::ContextSamples::in_use)
        visit(id, of(context));
  };
  each([&](u32, u32 group) { ++first[group]; });
  u32 sum = 0;
  for (u32& at : first) sum += at, at = sum;
  members.resize(sum + 1);  // one may point behind the last
  // From the back, so that the ends become the beginnings.
  for (auto id = static_cast<u32>(samples.size()); id-- > 1;)
    if (const auto& context = samples.contexts[id];
        context.flags & generate::ContextSamples::in_use)
      members[--first[of(context)]] = id;
}

}  // namespace

ContextLinks::ContextLinks(const generate::ContextSamples& samples, unsigned threads)
    : samples_(samples) {
  parallel_for(2, threads, [&](size_t task, unsigned) {
    if (task == 0) return link_children();
    link_functions();
    hash_names();
  });
  sort_children(threads);
}

u64 ContextLinks::key(NameId function, profile::LineLocation site) const {
  return callee_key(guid(function), site);
}

void ContextLinks::link_functions() {
  group(samples_, samples_.names.size(), first_of_function_, of_function_,
        [](const auto& context) { return static_cast<u32>(context.function); });
}

void ContextLinks::hash_names() {
  guids_.resize(samples_.names.size());
  for (u32 i = 0; i < guids_.size(); ++i)
    if (is_used(NameId{i})) guids_[i] = samples_.names.guid(NameId{i});
}

void ContextLinks::link_children() {
  group(samples_, samples_.size(), first_child_, children_,
        [](const auto& context) { return context.parent; });
}

void ContextLinks::sort_children(unsigned threads) {
  constexpr size_t at_once = 1 << 16;
  parallel_each(samples_.size(), at_once, threads, [&](size_t i, unsigned) {
    if (first_child_[i + 1] - first_child_[i] > 1)
      std::stable_sort(&children_[first_child_[i]], &children_[first_child_[i + 1]],
                       [&](u32 a, u32 b) { return key(a) < key(b); });
  });
}

void ContextLinks::rank_all() {
  ranks_.resize(samples_.size());
  std::vector<u32> order{generate::ContextSamples::root};
  order.reserve(children_.size());
  constexpr size_t ahead = 16;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i + 2 * ahead < order.size()) prefetch_children(order[i + 2 * ahead]);
    if (i + ahead < order.size()) prefetch_first_child(order[i + ahead]);
    for (u32 child : children(order[i])) {
      ranks_[child] = static_cast<u32>(order.size());
      order.push_back(child);
    }
  }
}

}  // namespace pgokit::transform
