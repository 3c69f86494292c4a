#include "transform/preinline/context_tree.h"

#include <algorithm>

#include "generate/context/callee_key.h"

namespace pgokit::transform {

using generate::callee_key;
using profile::ContextId;
using profile::LineLocation;

ContextTree::ContextTree(profile::Profile& profile) : nodes_(1) {
  const auto& contexts = profile.contexts;
  std::vector<u32> node_of(contexts.end());
  for (const auto& function : profile.functions())
    for (auto id = function.context; id != ContextId::none; id = contexts.node(id).parent) {
      u32& node = node_of[static_cast<size_t>(id)];
      if (node) break;
      node = 1;
    }
  read_guids(profile);
  for (u32 id = 1; id < node_of.size(); ++id) {  // a parent stands before its children
    if (!node_of[id]) continue;
    const auto& context = contexts.node(ContextId{id});
    node_of[id] = static_cast<u32>(nodes_.size());
    u32 parent = node_of[static_cast<size_t>(context.parent)];
    nodes_[parent].children.emplace_back(node_of[id]);
    nodes_.push_back({.key = callee_key(guid(context.function), context.call_site),
                      .parent = parent,
                      .site = context.call_site,
                      .function = context.function,
                      .children = {}});
  }
  for (auto& function : profile.functions()) {
    nodes_[node_of[static_cast<size_t>(function.context)]].entry =
        static_cast<u32>(entries_.size());
    entries_.push_back(&function.samples);
  }
  for (auto& node : nodes_)
    if (node.children.size() > 1)
      std::ranges::stable_sort(node.children, {}, [&](u32 child) { return nodes_[child].key; });
}

void ContextTree::read_guids(const profile::Profile& profile) {
  guids_.resize(profile.names.size());
  std::vector<bool> known(guids_.size());
  for (u32 id = 1; id < profile.contexts.end(); ++id) {
    auto name = profile.contexts.node(ContextId{id}).function;
    auto at = static_cast<size_t>(name);
    if (known[at]) continue;
    known[at] = true;
    guids_[at] = profile.names.guid(name);
  }
}

std::vector<u32> ContextTree::breadth_first() const {
  std::vector<u32> order{root};
  for (size_t i = 0; i < order.size(); ++i)
    order.insert(order.end(), nodes_[order[i]].children.begin(), nodes_[order[i]].children.end());
  return order;
}

std::vector<u32> ContextTree::children_first() const {
  // Backwards: a node, then its children from the last to the first.
  std::vector<u32> order, open{root};
  while (!open.empty()) {
    u32 node = open.back();
    open.pop_back();
    order.push_back(node);
    open.insert(open.end(), nodes_[node].children.begin(), nodes_[node].children.end());
  }
  std::ranges::reverse(order);
  return order;
}

const u32* ContextTree::position(u32 parent, u64 key) const {
  return std::ranges::lower_bound(nodes_[parent].children, key, {},
                                  [&](u32 child) { return nodes_[child].key; });
}

u32 ContextTree::child(u32 parent, LineLocation site, NameId function) const {
  auto key = callee_key(guid(function), site);
  auto found = position(parent, key);
  if (found == nodes_[parent].children.end() || nodes_[*found].key != key) return none;
  return *found;
}

u32 ContextTree::next_child(Level& level) const {
  const auto& children = nodes_[level.from].children;
  auto next = level.begun ? std::ranges::upper_bound(children, level.done, {},
                                                     [&](u32 child) { return nodes_[child].key; })
                          : children.begin();
  if (next == children.end()) return none;
  level.begun = true;
  level.done = nodes_[*next].key;
  return *next;
}

void ContextTree::detach(u32 parent, u64 key) {
  auto found = position(parent, key);
  auto& children = nodes_[parent].children;
  if (found != children.end() && nodes_[*found].key == key) children.erase(found);
}

void ContextTree::attach(u32 node, u32 parent, LineLocation site) {
  auto& moved = nodes_[node];
  moved.parent = parent;
  moved.site = site;
  moved.key = callee_key(guid(moved.function), site);
  nodes_[parent].children.insert(position(parent, moved.key), node);
}

}  // namespace pgokit::transform
