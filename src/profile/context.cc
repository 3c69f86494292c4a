#include "profile/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pgokit::profile {

size_t Contexts::NodeHash::operator()(const Node& node) const {
  u64 callee = u64{static_cast<u32>(node.parent)} << 32 | static_cast<u32>(node.function);
  return mix_bits(node.call_site.hash() ^ mix_bits(callee));
}

ContextId Contexts::child(ContextId parent, LineLocation call_site, NameId function) {
  Node node{parent, call_site, function};
  auto [found, fresh] = ids_.try_emplace(node, static_cast<ContextId>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return found->second;
}

std::vector<Contexts::Frame> Contexts::frames(ContextId id) const {
  std::vector<Frame> frames;
  LineLocation location;
  for (; id != ContextId::none; id = node(id).parent) {
    frames.push_back({node(id).function, location});
    location = node(id).call_site;
  }
  std::ranges::reverse(frames);
  return frames;
}

std::vector<u32> Contexts::ranks(std::span<const u32> names) const {
  // All contexts grouped by parent, those of one parent in their order.
  std::vector<u32> first(nodes_.size() + 1), children(nodes_.size() - 1);
  for (size_t id = 1; id < nodes_.size(); ++id) ++first[static_cast<size_t>(nodes_[id].parent) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  auto next = first;
  for (u32 id = 1; id < nodes_.size(); ++id)
    children[next[static_cast<size_t>(nodes_[id].parent)]++] = id;
  auto before = [&](u32 a, u32 b) {
    if (nodes_[a].call_site != nodes_[b].call_site)
      return nodes_[a].call_site < nodes_[b].call_site;
    return names[static_cast<size_t>(nodes_[a].function)] <
           names[static_cast<size_t>(nodes_[b].function)];
  };
  for (size_t id = 0; id < nodes_.size(); ++id)
    std::sort(children.begin() + first[id], children.begin() + first[id + 1], before);

  std::vector<u32> ranks(nodes_.size()), open{0};
  for (u32 rank = 0; !open.empty(); ++rank) {
    u32 id = open.back();
    open.pop_back();
    ranks[id] = rank;
    for (u32 i = first[id + 1]; i-- > first[id];) open.push_back(children[i]);
  }
  return ranks;
}

std::string Contexts::text(ContextId id, const NameTable& names) const {
  std::string text;
  auto out = std::back_inserter(text);
  auto all = frames(id);
  for (size_t i = 0; i < all.size(); ++i) {
    text += names.text(all[i].function);
    if (i + 1 == all.size()) break;
    fmt::format_to(out, ":{}", all[i].location.line_offset);
    if (all[i].location.discriminator) fmt::format_to(out, ".{}", all[i].location.discriminator);
    text += " @ ";
  }
  return text;
}

}  // namespace pgokit::profile
