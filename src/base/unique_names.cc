#include "base/unique_names.h"

#include <md5.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <map>

namespace pgokit {
namespace {

constexpr std::string_view mark = ".__uniq.";

// What a function is called in its file.
std::string own_name(const UniqueName& name) { return std::string(name.name).append(name.rest); }
std::string name_in(std::string_view path, const std::string& own) {
  return std::string(path).append(".").append(own);
}

// The only one with the most votes that is still to be had, of those of one path.
template <class Candidates, class Taken>
const Candidates::value_type* only_best(const Candidates& candidates, const Taken& taken) {
  const typename Candidates::value_type* best = nullptr;
  bool alone = false;
  for (const auto& candidate : candidates) {
    if (taken.contains(candidate.second)) continue;
    if (best && candidate.first < best->first) continue;
    alone = !best || candidate.first > best->first;
    best = &candidate;
  }
  return alone ? best : nullptr;
}

}  // namespace

std::optional<UniqueName> split_unique_name(std::string_view name) {
  size_t at = name.find(mark);
  if (at == name.npos || at == 0) return std::nullopt;
  auto path = name.substr(at + mark.size());
  auto rest = path.substr(std::min(path.size(), path.find_first_not_of("0123456789")));
  path.remove_suffix(rest.size());
  if (path.empty() || (!rest.empty() && rest[0] != '.')) return std::nullopt;
  return UniqueName{name.substr(0, at), path, rest};
}

std::string path_number(std::string_view path) {
  MD5_CTX state;
  u8 digest[MD5_DIGEST_LENGTH];
  MD5Init(&state);
  MD5Update(&state, reinterpret_cast<const u8*>(path.data()), path.size());
  MD5Final(digest, &state);
  std::string digits;  // of the digest as one number, the last one first
  for (bool any = true; any;) {
    unsigned left = 0;
    any = false;
    for (u8& byte : digest) {
      unsigned part = left << 8 | byte;
      byte = static_cast<u8>(part / 10);
      left = part % 10;
      any |= byte != 0;
    }
    digits += static_cast<char>('0' + left);
  }
  std::ranges::reverse(digits);
  return digits;
}

SourcePaths::SourcePaths(std::span<const std::string_view> old_names,
                         std::span<const std::string_view> new_names, const Likeness& likeness) {
  for (u32 i = 0; i < new_names.size(); ++i)
    if (auto name = split_unique_name(new_names[i]))
      numbers_.try_emplace(name_in(name->path, own_name(*name)), i);
  if (!numbers_.empty()) decide(vote(old_names, new_names, likeness));
}

std::vector<SourcePaths::Candidate> SourcePaths::vote(std::span<const std::string_view> old_names,
                                                      std::span<const std::string_view> new_names,
                                                      const Likeness& likeness) const {
  // Static functions of headers are in so many files that they tell little.
  constexpr size_t most_pairs = 1 << 10;
  struct Group {
    std::vector<u32> olds, news;
  };
  tsl::robin_set<std::string_view> kept;  // paths of the new build
  std::map<std::string, Group> groups;    // by the functions' own names
  for (u32 i = 0; i < new_names.size(); ++i)
    if (auto name = split_unique_name(new_names[i])) {
      kept.insert(name->path);
      groups[own_name(*name)].news.push_back(i);
    }
  for (u32 i = 0; i < old_names.size(); ++i)
    if (auto name = split_unique_name(old_names[i]); name && !kept.contains(name->path))
      if (auto group = groups.find(own_name(*name)); group != groups.end())
        group->second.olds.push_back(i);
  std::map<std::pair<std::string_view, std::string_view>, u64> votes;
  for (const auto& [own, group] : groups) {
    if (group.olds.size() * group.news.size() > most_pairs) continue;
    for (u32 from : group.olds)
      for (u32 to : group.news)
        votes[{split_unique_name(old_names[from])->path, split_unique_name(new_names[to])->path}] +=
            1 + (likeness ? likeness(from, to) : 0);
  }
  std::vector<Candidate> candidates;
  for (const auto& [paths, count] : votes) candidates.push_back({count, paths.first, paths.second});
  return candidates;
}

// Two files are one where each is the other's best candidate and no other is as good. Those that
// are found make room for others.
void SourcePaths::decide(const std::vector<Candidate>& candidates) {
  constexpr int most_rounds = 16;
  using Choices = std::vector<std::pair<u64, std::string_view>>;
  std::map<std::string_view, Choices> of_old, of_new;
  for (const auto& [votes, from, to] : candidates) {
    of_old[from].emplace_back(votes, to);
    of_new[to].emplace_back(votes, from);
  }
  tsl::robin_set<std::string_view> taken;
  for (int round = 0; round < most_rounds; ++round) {
    bool any = false;
    for (const auto& [from, choices] : of_old) {
      if (now_.contains(from)) continue;
      const auto* to = only_best(choices, taken);
      if (!to) continue;
      const auto* back = only_best(of_new[to->second], now_);
      if (!back || back->second != from) continue;
      now_.emplace(from, to->second);
      taken.insert(to->second);
      any = true;
    }
    if (!any) return;
  }
}

std::optional<u32> SourcePaths::find(std::string_view old_name) const {
  auto name = split_unique_name(old_name);
  if (!name) return std::nullopt;
  auto path = now_.find(name->path);
  if (path == now_.end()) return std::nullopt;
  auto found = numbers_.find(name_in(path->second, own_name(*name)));
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace pgokit
