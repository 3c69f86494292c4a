#include "profile/model/profile.h"

#include <algorithm>

namespace pgokit::profile {

FunctionSamples& Profile::function(ContextId context) {
  auto at = static_cast<size_t>(context);
  if (at >= function_of_context_.size()) function_of_context_.resize(contexts.end());
  u32& place = function_of_context_[at];
  if (place == 0) {
    functions_.emplace_back();
    functions_.back().context = context;
    functions_.back().samples.name = contexts.node(context).function;
    place = static_cast<u32>(functions_.size());
  }
  return functions_[place - 1].samples;
}

const FunctionSamples* Profile::find(ContextId context) const {
  auto at = static_cast<size_t>(context);
  if (at >= function_of_context_.size() || function_of_context_[at] == 0) return nullptr;
  return &functions_[function_of_context_[at] - 1].samples;
}

void Profile::index_functions() {
  function_of_context_.assign(contexts.end(), 0);
  u32 place = 0;
  for (const auto& function : functions_)
    function_of_context_[static_cast<size_t>(function.context)] = ++place;
}

std::vector<const Function*> Profile::ordered(std::span<const u32> ranks) const {
  return sorted(ranks, true);
}

std::vector<const Function*> Profile::by_context(std::span<const u32> ranks) const {
  return sorted(ranks, false);
}

std::vector<const Function*> Profile::sorted(std::span<const u32> ranks, bool by_total) const {
  auto rank_of = contexts.ranks(ranks);
  struct Key {
    u64 total;
    u32 rank;
    const Function* function;
  };
  std::vector<Key> keys;
  keys.reserve(functions_.size());
  for (const auto& function : functions_)
    keys.push_back({by_total ? function.samples.total : 0,
                    rank_of[static_cast<size_t>(function.context)], &function});
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.total != b.total ? a.total > b.total : a.rank < b.rank;
  });
  std::vector<const Function*> functions;
  functions.reserve(keys.size());
  for (const auto& key : keys) functions.push_back(key.function);
  return functions;
}

void Profile::sort() {
  for (auto& function : functions_) function.samples.sort();
}

std::vector<ContextId> taken_contexts(const Profile& from, Profile& into,
                                      std::span<const NameId> renamed) {
  std::vector<ContextId> contexts(from.contexts.end());  // a parent stands before its children
  for (u32 i = 1; i < contexts.size(); ++i) {
    const auto& node = from.contexts.node(static_cast<ContextId>(i));
    contexts[i] = into.contexts.child(contexts[static_cast<size_t>(node.parent)], node.call_site,
                                      renamed[static_cast<size_t>(node.function)]);
  }
  return contexts;
}

MergeResult merge(Profile& into, const Profile& from, u64 weight) {
  std::vector<NameId> renamed(from.names.size());
  for (u32 i = 0; i < renamed.size(); ++i)
    renamed[i] = into.names.intern_from(from.names, static_cast<NameId>(i));
  auto contexts = taken_contexts(from, into, renamed);
  MergeResult result;
  for (const auto& [context, samples] : from.functions())
    if (!merge(into.function(contexts[static_cast<size_t>(context)]), samples, weight, renamed))
      ++result.checksum_mismatches;
  for (u32 i = 0; i < from.symbols.size(); ++i)
    into.symbols.intern(from.symbols.text(static_cast<NameId>(i)));
  into.flags.probe_based |= from.flags.probe_based;
  into.flags.context_sensitive |= from.flags.context_sensitive;
  into.flags.pre_inlined |= from.flags.pre_inlined;
  into.flags.fs_discriminators |= from.flags.fs_discriminators;
  into.flags.partial |= from.flags.partial;
  return result;
}

}  // namespace pgokit::profile
