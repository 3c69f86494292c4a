#include "profile/context.h"

#include <fmt/format.h>

#include <algorithm>

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
