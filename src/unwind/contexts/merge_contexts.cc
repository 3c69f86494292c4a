#include "unwind/contexts/merge_contexts.h"

#include <cassert>

namespace pgokit::unwind {
namespace {

using profile::ContextId;

// By number in `from`, its number in `into`.
std::vector<CallPath> take_paths(CallPaths& into, const CallPaths& from) {
  std::vector<CallPath> taken(from.end(), CallPath::empty);
  for (u32 i = 1; i < from.end(); ++i) {
    CallPath path{i};
    taken[i] = into.child(taken[static_cast<u32>(from.parent(path))], from.call(path));
  }
  return taken;
}

std::vector<ContextId> take_contexts(ContextCounts& into, const ContextCounts& from) {
  std::vector<ContextId> taken(from.contexts.end(), ContextId::none);
  for (u32 i = 1; i < from.contexts.end(); ++i) {
    const auto& node = from.contexts.node(ContextId{i});
    auto name = into.names.intern(from.names.text(node.function));
    auto parent = taken[static_cast<u32>(node.parent)];
    taken[i] = into.contexts.child(parent, node.call_site, name);
  }
  return taken;
}

}  // namespace

void merge(ContextCounts& into, const ContextCounts& from) {
  assert(into.kind() == from.kind());
  bool lines = into.kind() == ContextCounts::Kind::lines;
  auto paths = take_paths(into.paths, from.paths);
  auto contexts = take_contexts(into, from);
  for (size_t i = 0; i < from.size(); ++i) {
    if (lines)
      into.begin(contexts[static_cast<u32>(from.context(i))], from.leaf_inlined(i));
    else
      into.begin(paths[static_cast<u32>(from.path(i))]);
    for (const auto& range : from.ranges(i)) into.add_range(range);
    for (const auto& branch : from.branches(i)) into.add_branch(branch);
  }
  into.normalize();
}

}  // namespace pgokit::unwind
