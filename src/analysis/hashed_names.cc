#include "analysis/hashed_names.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <numeric>

namespace pgokit::analysis {
namespace {

using profile::Columns;

// Copies a part with other numbers for its names, which changes the order of inlinees at one site.
class Renumbering {
 public:
  Renumbering(const Columns::Part& from, std::span<const u32> ids) : from_(from), ids_(ids) {}

  Columns::Part renumber(std::span<u32> tops) {
    for (u32& top : tops) top = copy(top);
    return std::move(to_);
  }

 private:
  u32 copy(u32 node) {
    auto at = static_cast<u32>(to_.nodes.size());
    auto copied = from_.nodes[node];
    copied.name = ids_[copied.name];
    copied.first_place = static_cast<u32>(to_.places.size());
    copied.first_target = static_cast<u32>(to_.targets.size());
    to_.nodes.push_back(copied);
    for (auto target : from_.targets_of(node)) {
      target.place += copied.first_place - from_.nodes[node].first_place;
      target.name = ids_[target.name];
      to_.targets.push_back(target);
    }
    for (const auto& place : from_.places_of(node)) to_.places.push_back(place);
    for (auto vtable : from_.vtables_of(node)) {
      vtable.node = at;
      vtable.name = ids_[vtable.name];
      to_.vtables.push_back(vtable);
    }
    for (u32 inlinee : sorted_inlinees(node)) copy(inlinee);
    to_.nodes[at].end = static_cast<u32>(to_.nodes.size());
    return at;
  }

  std::vector<u32> sorted_inlinees(u32 node) const {
    std::vector<u32> inlinees;
    for (u32 i = node + 1; i < from_.nodes[node].end; i = from_.nodes[i].end) inlinees.push_back(i);
    std::ranges::sort(inlinees, {}, [&](u32 i) {
      return std::pair(from_.nodes[i].call_site, ids_[from_.nodes[i].name]);
    });
    return inlinees;
  }

  const Columns::Part& from_;
  std::span<const u32> ids_;
  Columns::Part to_;
};

}  // namespace

Columns with_hashed_names(const Columns& columns) {
  Columns result;
  result.format = columns.format;
  result.flags = columns.flags;
  result.md5_names = true;
  result.summary = columns.summary;
  std::vector<u64> guids(columns.names.size());
  for (u32 i = 0; i < guids.size(); ++i) guids[i] = columns.guid(i);
  std::vector<u32> order(guids.size()), ids(guids.size());
  std::iota(order.begin(), order.end(), u32{0});
  std::ranges::sort(order, {}, [&](u32 i) { return guids[i]; });
  for (u32 i : order) {
    if (result.names.empty() || result.names.back().guid != guids[i])
      result.names.push_back({.text = {}, .guid = guids[i], .is_guid = true});
    ids[i] = static_cast<u32>(result.names.size()) - 1;
  }
  for (auto frame : columns.frames) result.frames.push_back({ids[frame.function], frame.location});
  result.functions = columns.functions;
  std::vector<std::vector<u32>> tops(columns.parts.size());
  for (const auto& top : columns.functions) tops[top.part].push_back(top.node);
  for (size_t i = 0; i < columns.parts.size(); ++i)
    result.parts.push_back(Renumbering(columns.parts[i], ids).renumber(tops[i]));
  std::vector<size_t> taken(tops.size());
  for (auto& top : result.functions) top.node = tops[top.part][taken[top.part]++];
  return result;
}

void show_names_of(Columns& hashed, const Columns& named) {
  tsl::robin_map<u64, u32> by_guid;
  for (u32 i = 0; i < named.names.size(); ++i)
    if (!named.names[i].is_guid) by_guid.emplace(named.guid(i), i);
  for (auto& name : hashed.names) {
    if (!name.is_guid) continue;
    auto found = by_guid.find(name.guid);
    if (found != by_guid.end())
      name.text = hashed.texts.emplace_back(named.names[found->second].text);
  }
}

}  // namespace pgokit::analysis
