#include "profile/model/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pgokit::profile {

namespace {

u64 hash_of(const Contexts::Node& node) {
  u64 callee = u64{static_cast<u32>(node.parent)} << 32 | static_cast<u32>(node.function);
  return mix_bits(node.call_site.hash() ^ mix_bits(callee));
}

u32 tag_of(u64 hash) { return static_cast<u32>(hash >> 32); }

}  // namespace

ContextId Contexts::child(ContextId parent, LineLocation call_site, NameId function) {
  Node node{parent, call_site, function};
  u64 hash = hash_of(node);
  if (3 * nodes_.size() > 2 * slots_.size()) grow();
  for (size_t at = hash;; ++at) {
    Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.id == 0) {
      slot = {static_cast<u32>(nodes_.size()), tag_of(hash)};
      nodes_.push_back(node);
      return ContextId{slot.id};
    }
    if (slot.tag == tag_of(hash) && nodes_[slot.id] == node) return ContextId{slot.id};
  }
}

ContextId Contexts::find(ContextId parent, LineLocation call_site, NameId function) const {
  if (slots_.empty()) return ContextId::none;
  Node node{parent, call_site, function};
  u64 hash = hash_of(node);
  for (size_t at = hash;; ++at) {
    const Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.id == 0) return ContextId::none;
    if (slot.tag == tag_of(hash) && nodes_[slot.id] == node) return ContextId{slot.id};
  }
}

void Contexts::grow() {
  size_t size = std::max<size_t>(2 * slots_.size(), 16);
  while (3 * nodes_.size() > 2 * size) size *= 2;
  slots_.assign(size, {});
  for (u32 id = 1; id < nodes_.size(); ++id) {
    u64 hash = hash_of(nodes_[id]);
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].id) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {id, tag_of(hash)};
  }
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
