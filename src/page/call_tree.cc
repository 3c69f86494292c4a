#include "page/call_tree.h"

#include <algorithm>

#include "base/saturated.h"

namespace pgokit::page {

u32 CallTree::child(u32 parent, u32 name, Kind kind) {
  auto next = static_cast<u32>(nodes_.size());
  auto [found, is_new] = children_.try_emplace({parent, name, kind == Kind::inlined}, next);
  if (is_new) nodes_.push_back({parent, name, kind, {}});
  return found->second;
}

u32 CallTree::name_of(const profile::Profile& profile, NameId id) {
  std::string name(profile.names.text(id));
  auto [found, is_new] = numbers_.try_emplace(name, static_cast<u32>(names_.size()));
  if (is_new) names_.push_back(std::move(name));
  return found->second;
}

void CallTree::add(const profile::Profile& profile, size_t side) {
  for (const auto& function : profile.functions()) {
    u32 node = 0;
    for (const auto& frame : profile.contexts.frames(function.context))
      node = child(node, name_of(profile, frame.function), Kind::called);
    if (node && (function.samples.attributes & profile::should_be_inlined))
      nodes_[node].kind = Kind::to_be_inlined;
    add_samples(profile, function.samples, node, side, 0);
  }
}

void CallTree::add_samples(const profile::Profile& profile, const profile::FunctionSamples& samples,
                           u32 node, size_t side, unsigned depth) {
  for (const auto& entry : samples.body.unordered())
    nodes_[node].total[side] = add_saturated(nodes_[node].total[side], entry.value.samples);
  if (depth >= profile::max_inline_depth) return;
  for (const auto& at : samples.inlinees.unordered())
    for (const auto& [name, inlinee] : at.value.unordered())
      add_samples(profile, *inlinee, child(node, name_of(profile, name), Kind::inlined), side,
                  depth + 1);
}

std::vector<CallTree::Node> CallTree::shown(size_t most) const {
  // A pixel of a wide screen, nearly.
  constexpr u64 narrowest = 4000;
  auto nodes = nodes_;
  for (size_t i = nodes.size(); i-- > 1;)
    for (size_t side : {0, 1}) {
      u64& above = nodes[nodes[i].parent].total[side];
      above = add_saturated(above, nodes[i].total[side]);
    }
  auto share = [&](const Node& node) {
    double widest = 0;
    for (size_t side : {0, 1})
      if (u64 all = nodes[0].total[side])
        widest = std::max(widest, static_cast<double>(node.total[side]) / static_cast<double>(all));
    return widest;
  };
  double least = 1.0 / narrowest;
  if (nodes.size() > most) {
    std::vector<double> shares;
    for (const auto& node : nodes) shares.push_back(share(node));
    std::ranges::nth_element(shares, shares.begin() + static_cast<std::ptrdiff_t>(most),
                             std::greater{});
    least = std::max(least, shares[most]);
  }
  std::vector<Node> kept{nodes[0]};
  std::vector<u32> place(nodes.size(), 0);
  for (size_t i = 1; i < nodes.size(); ++i) {
    bool hidden = nodes[i].parent != 0 && place[nodes[i].parent] == 0;
    if (hidden || share(nodes[i]) < least) continue;
    place[i] = static_cast<u32>(kept.size());
    kept.push_back(nodes[i]);
    kept.back().parent = place[nodes[i].parent];
  }
  return kept;
}

}  // namespace pgokit::page
