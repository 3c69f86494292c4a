#include "annotate/branch_groups.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/saturated.h"
#include "profile/model/fill_map.h"

namespace pgokit::annotate {
namespace {

// Probabilities are rounded where code is copied.
constexpr double held_alike = 0.02;
// Of one branch; more are of a damaged map, or generated code that nobody reads.
constexpr size_t most_parts = 64, most_ways = 1 << 15;

u64 hash_of_ways(const BranchWays& branch) {
  auto ways = branch.successors;
  std::ranges::sort(ways);
  u64 hash = ways.size();
  for (u32 way : ways) hash = profile::mix_bits(hash ^ way);
  return hash;
}

}  // namespace

BranchGroups::BranchGroups(std::span<const BranchWays> branches, const BlockSamples& samples,
                           std::span<const u32> predecessors)
    : branches_(branches) {
  for (u32 i = 0; i < branches.size(); ++i) {
    by_block_.emplace(branches[i].block, i);
    by_ways_[hash_of_ways(branches[i])].push_back(i);
    if (branches[i].source) by_source_[branches[i].source].push_back(i);
  }
  for (u32 i = 0; i < branches.size(); ++i)
    for (u32 to : branches[i].successors)
      if (predecessors[to] == 1 && by_block_.contains(to) &&
          samples.adds_nothing(to, branches[i].block))
        parents_.emplace(to, i);
}

std::optional<size_t> BranchGroups::way_of(const BranchWays& copy, const BranchWays& branch,
                                           size_t way) const {
  auto alike = [&](size_t i) {
    return std::abs(copy.believed[i] - branch.believed[way]) <= held_alike;
  };
  auto same = std::ranges::find(copy.successors, branch.successors[way]);
  if (same != copy.successors.end()) {
    auto i = static_cast<size_t>(same - copy.successors.begin());
    return alike(i) ? std::optional(i) : std::nullopt;
  }
  if (copy.successors.size() != branch.successors.size()) return std::nullopt;
  std::optional<size_t> found;
  for (size_t i = 0; i < copy.believed.size(); ++i) {
    if (!alike(i)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

bool BranchGroups::copies_agree(const BranchWays& branch, size_t way, double difference) const {
  auto copies = by_ways_.at(hash_of_ways(branch));
  if (auto found = by_source_.find(branch.source); found != by_source_.end())
    copies.insert(copies.end(), found->second.begin(), found->second.end());
  std::ranges::sort(copies);
  copies.erase(std::ranges::unique(copies).begin(), copies.end());
  u64 went = 0, ran = 0, others = 0;
  size_t ways = 0;
  for (u32 number : copies) {
    const auto& copy = branches_[number];
    ways += copy.successors.size();
    if (ways > most_ways) return false;
    auto its = way_of(copy, branch, way);
    if (!its) continue;
    went = add_saturated(went, copy.counts[*its]);
    ran = add_saturated(ran, copy.ran);
    others += &copy != &branch && copy.ran > 0;
  }
  return others > 0 && std::abs(static_cast<double>(went) / static_cast<double>(ran) -
                                branch.believed[way]) < difference;
}

const BranchWays* BranchGroups::whole_of(const BranchWays& branch) const {
  const auto* whole = &branch;
  for (size_t i = 0; i < most_parts; ++i) {
    auto parent = parents_.find(whole->block);
    if (parent == parents_.end()) return whole;
    whole = &branches_[parent->second];
  }
  return nullptr;
}

bool BranchGroups::parts_agree(const BranchWays& branch, double difference) const {
  const auto* whole = whole_of(branch);
  if (!whole || whole->ran == 0) return false;
  struct Exit {
    double believed = 0;
    u64 count = 0;
  };
  std::map<u32, Exit> exits;
  std::vector<std::pair<const BranchWays*, double>> waiting{{whole, 1.0}};
  size_t parts = 0;
  while (!waiting.empty()) {
    auto [part, share] = waiting.back();
    waiting.pop_back();
    if (++parts > most_parts) return false;
    for (size_t i = 0; i < part->successors.size(); ++i) {
      u32 to = part->successors[i];
      auto parent = parents_.find(to);
      if (parent != parents_.end() && &branches_[parent->second] == part) {
        waiting.push_back({&branches_[by_block_.at(to)], share * part->believed[i]});
        continue;
      }
      auto& exit = exits[to];
      exit.believed += share * part->believed[i];
      exit.count = add_saturated(exit.count, part->counts[i]);
    }
  }
  return parts > 1 && std::ranges::all_of(exits, [&](const auto& one) {
           const auto& [believed, count] = one.second;
           return std::abs(static_cast<double>(count) / static_cast<double>(whole->ran) -
                           believed) < difference;
         });
}

}  // namespace pgokit::annotate
