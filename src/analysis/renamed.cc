#include "analysis/renamed.h"

#include <algorithm>
#include <map>

#include "base/function_name.h"

namespace pgokit::analysis {

NameMatch::NameMatch(const profile::Profile& profile, const ProgramShape& shape,
                     const std::vector<OldFunction>& functions)
    : profile_(profile),
      shape_(shape),
      functions_(functions),
      to_(functions.size(), gone),
      renamed_(functions.size()),
      other_path_(functions.size()),
      taken_(shape.names.size()) {
  for (u32 i = 0; i < functions.size(); ++i) {
    NameId name{i};
    u64 guid = profile.names.is_guid(name)
                   ? profile.names.guid(name)
                   : function_guid(canonical_function_name(profile.names.text(name)));
    const auto* found = shape.find_guid(guid);
    if (!found) continue;
    to_[i] = static_cast<u32>(found - shape.functions.data());
    taken_[to_[i]] = true;
  }
  find_by_path();
}

void NameMatch::find_by_path() {
  std::vector<std::string_view> olds;
  for (u32 i = 0; i < functions_.size(); ++i)
    olds.push_back(profile_.names.is_guid(NameId{i})
                       ? std::string_view()
                       : canonical_function_name(profile_.names.text(NameId{i})));
  for (u32 i = 0; i < shape_.names.size(); ++i)
    new_names_.push_back(shape_.functions[i].known ? shape_.names.text(NameId{i})
                                                   : std::string_view());
  paths_.emplace(olds, new_names_,
                 [&](u32 old, u32 now) { return likeness(NameId{old}, NameId{now}); });
  for (u32 i = 0; i < functions_.size(); ++i) {
    if (to_[i] != gone) continue;
    auto now = paths_->find(olds[i]);
    if (!now || taken_[*now]) continue;
    to_[i] = *now;
    taken_[*now] = other_path_[i] = true;
  }
}

u64 NameMatch::likeness(NameId old_name, NameId now_name) const {
  constexpr u64 same = 64;  // more than places can tell
  const auto& old = functions_[static_cast<size_t>(old_name)];
  const auto& now = shape_.functions[static_cast<size_t>(now_name)];
  if (old.checksum && old.checksum == now.checksum) return same;
  u64 places = 0;
  for (auto at : old.places) places += std::ranges::binary_search(now.places, at);
  return std::min(places, same);
}

std::string_view NameMatch::name_now(std::string_view old) const {
  auto now = paths_->find(old);
  return now ? new_names_[*now] : old;
}

std::vector<Anchor> NameMatch::anchors_of(NameId old) const {
  auto anchors = functions_[static_cast<size_t>(old)].anchors;
  auto first_gone = static_cast<u32>(shape_.names.size());
  for (auto& anchor : anchors) {
    for (NameId& callee : anchor.callees) {
      u32 to = to_[static_cast<size_t>(callee)];
      callee = to == gone ? NameId{first_gone + static_cast<u32>(callee)}
                          : shape_.functions[to].folded_into.value_or(NameId{to});
    }
    std::ranges::sort(anchor.callees);
  }
  return anchors;
}

void NameMatch::find_renamed() {
  constexpr int most_rounds = 8;  // each may uncover callers or callees for the next
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<Pair> votes;
    vote_by_callers(votes);
    vote_by_checksum(votes);
    vote_by_base_name(votes);
    if (!accept(std::move(votes))) return;
  }
}

// Call sites between those that stand aligned: where as many callees are gone as are new, they are
// taken for the same ones in their order.
void NameMatch::vote_by_callers(std::vector<Pair>& votes) const {
  for (u32 i = 0; i < functions_.size(); ++i) {
    NameId old{i};
    if (!functions_[i].used || !has(old)) continue;
    const auto& now = shape_.functions[to_[i]];
    auto anchors = anchors_of(old);
    auto alignment = align_anchors(anchors, now.anchors);
    alignment.emplace_back(anchors.size(), now.anchors.size());
    u32 a = 0, b = 0;
    for (auto [next_a, next_b] : alignment) {
      vote_in_gap(std::span(functions_[i].anchors).subspan(a, next_a - a),
                  std::span(now.anchors).subspan(b, next_b - b), votes);
      a = next_a + 1, b = next_b + 1;
    }
  }
}

void NameMatch::vote_in_gap(std::span<const Anchor> old_anchors,
                            std::span<const Anchor> new_anchors, std::vector<Pair>& votes) const {
  std::vector<u32> orphans, newcomers;
  for (const auto& anchor : old_anchors)
    for (NameId callee : anchor.callees)
      if (!has(callee) && anchor.callees.size() == 1) orphans.push_back(static_cast<u32>(callee));
  for (const auto& anchor : new_anchors)
    for (NameId callee : anchor.callees)
      if (is_new(callee) && anchor.callees.size() == 1)
        newcomers.push_back(static_cast<u32>(callee));
  // a function called several times stands once
  auto once = [](std::vector<u32>& list) {
    std::vector<u32> kept;
    for (u32 one : list)
      if (std::ranges::find(kept, one) == kept.end()) kept.push_back(one);
    list = std::move(kept);
  };
  once(orphans), once(newcomers);
  if (orphans.size() != newcomers.size()) return;
  for (size_t i = 0; i < orphans.size(); ++i) votes.push_back({orphans[i], newcomers[i]});
}

// `groups` has the orphans and newcomers of each key: one of each is a pair.
template <class Key, class Pair>
static void vote_for_single(
    const std::map<Key, std::pair<std::vector<u32>, std::vector<u32>>>& groups,
    std::vector<Pair>& votes) {
  for (const auto& [key, group] : groups)
    if (group.first.size() == 1 && group.second.size() == 1)
      votes.push_back({group.first[0], group.second[0]});
}

void NameMatch::vote_by_checksum(std::vector<Pair>& votes) const {
  std::map<u64, std::pair<std::vector<u32>, std::vector<u32>>> groups;
  for (u32 i = 0; i < functions_.size(); ++i)
    if (functions_[i].checksum && functions_[i].used && !has(NameId{i}))
      groups[functions_[i].checksum].first.push_back(i);
  if (groups.empty()) return;
  for (u32 i = 0; i < shape_.functions.size(); ++i) {
    auto found = groups.find(shape_.functions[i].checksum);
    if (found != groups.end() && is_new(NameId{i})) found->second.second.push_back(i);
  }
  vote_for_single(groups, votes);
}

void NameMatch::vote_by_base_name(std::vector<Pair>& votes) const {
  std::map<std::string, std::pair<std::vector<u32>, std::vector<u32>>> groups;
  for (u32 i = 0; i < functions_.size(); ++i)
    if (functions_[i].used && !has(NameId{i}) && !profile_.names.is_guid(NameId{i}))
      groups[base_name(profile_.names.text(NameId{i}))].first.push_back(i);
  if (groups.empty()) return;
  for (u32 i = 0; i < shape_.functions.size(); ++i) {
    if (!is_new(NameId{i})) continue;
    auto found = groups.find(base_name(shape_.names.text(NameId{i})));
    if (found != groups.end()) found->second.second.push_back(i);
  }
  vote_for_single(groups, votes);
}

// Whether whom the two call, and their checksums, speak for the pair.
bool NameMatch::agrees(const Pair& pair, size_t votes) const {
  const auto& old = functions_[pair.old_name];
  const auto& now = shape_.functions[pair.new_name];
  bool same_checksum = old.checksum && old.checksum == now.checksum;
  auto anchors = anchors_of(NameId{pair.old_name});
  if (anchors.empty()) return same_checksum || votes > 0;
  // calls that were never taken have no samples: only the profile's call sites are asked for
  double found = static_cast<double>(align_anchors(anchors, now.anchors).size()) /
                 static_cast<double>(anchors.size());
  return found >= (same_checksum ? 0.25 : 0.5);
}

bool NameMatch::accept(std::vector<Pair> votes) {
  struct Candidate {
    Pair pair;
    size_t votes;
  };
  std::ranges::sort(votes);
  std::vector<Candidate> candidates;
  for (const auto& pair : votes) {
    if (!candidates.empty() && candidates.back().pair == pair)
      ++candidates.back().votes;
    else
      candidates.push_back({pair, 1});
  }
  std::ranges::stable_sort(candidates, std::greater<>(), &Candidate::votes);
  bool any = false;
  for (const auto& [pair, count] : candidates) {
    if (to_[pair.old_name] != gone || taken_[pair.new_name] || !agrees(pair, count)) continue;
    to_[pair.old_name] = pair.new_name;
    renamed_[pair.old_name] = taken_[pair.new_name] = any = true;
  }
  return any;
}

std::string base_name(std::string_view name) {
  std::string_view rest = name;
  if (!rest.starts_with("_Z")) return std::string(name.substr(0, name.find('.')));
  rest.remove_prefix(2);
  bool nested = rest.starts_with("N");
  if (nested) rest.remove_prefix(1);
  while (!rest.empty() && std::string_view("KVrRLO").find(rest.front()) != rest.npos)
    rest.remove_prefix(1);  // qualifiers, internal linkage
  std::string result;
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    size_t size = 0;
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9' && size < name.size()) {
      size = 10 * size + static_cast<size_t>(rest.front() - '0');
      rest.remove_prefix(1);
    }
    if (size == 0 || size > rest.size()) return std::string(name);
    result += result.empty() ? "" : "::";
    result += rest.substr(0, size);
    rest.remove_prefix(size);
    if (!nested) break;
  }
  return result.empty() ? std::string(name) : result;
}

}  // namespace pgokit::analysis
