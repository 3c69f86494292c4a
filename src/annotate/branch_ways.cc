#include "annotate/branch_ways.h"

#include <algorithm>
#include <map>

#include "base/saturated.h"
#include "dwarf/discriminator.h"
#include "profile/model/fill_map.h"

namespace pgokit::annotate {

std::vector<BranchWays> BranchReader::read(const block_map::Function& function) {
  std::vector<std::pair<u32, u32>> by_id;  // number of the block
  for (u32 i = 0; i < function.blocks.size(); ++i) by_id.push_back({function.blocks[i].id, i});
  std::ranges::sort(by_id);
  std::vector<BranchWays> branches;
  for (u32 i = 0; i < function.blocks.size(); ++i) {
    auto ids = function.successors_of(i);
    auto probabilities = function.probabilities_of(i);
    if (ids.size() < 2 || probabilities.size() != ids.size()) continue;
    BranchWays branch;
    branch.block = i;
    double all = 0;
    for (u32 one : probabilities) all += one;
    for (size_t way = 0; all > 0 && way < ids.size(); ++way) {
      auto found = std::ranges::lower_bound(by_id, std::pair(ids[way], u32{0}));
      if (found == by_id.end() || found->first != ids[way]) break;
      if (function.blocks[found->second].size == 0) break;
      branch.successors.push_back(found->second);
      branch.believed.push_back(probabilities[way] / all);
    }
    u64 begin = function.address_of(function.blocks[i]), end = begin + function.blocks[i].size;
    if (branch.successors.size() != ids.size() || !find_exits(begin, end)) continue;
    if (program_.code().is_call(last_)) continue;
    branch.address = program_.code().address_of(last_).value;
    branch.source = source_of(branch.address);
    if (counts_) count(function, end, branch);
    branches.push_back(std::move(branch));
  }
  return branches;
}

bool BranchReader::find_exits(u64 begin, u64 end) {
  exits_.clear();
  const auto& code = program_.code();
  last_ = program::no_code;
  for (u64 at = begin; at < end;) {
    auto index = code.index_of({at});
    if (index == program::no_code || !code.is_instruction(index)) return false;
    if (code.is_transfer(index) && !code.is_call(index)) exits_.push_back(at);
    last_ = index;
    at += code.length(index);
  }
  return last_ != program::no_code;
}

void BranchReader::count(const block_map::Function& function, u64 end, BranchWays& branch) const {
  std::map<u64, u64> taken;  // by where to
  for (u64 at : exits_)
    for (const auto& one : counts_->from(at)) {
      u64& sum = taken[one.to.value];
      sum = add_saturated(sum, one.count);
    }
  u64& run_on = taken[end];
  run_on = add_saturated(run_on, entries_by_running_on(end));
  for (u32 to : branch.successors) {
    auto found = taken.find(function.address_of(function.blocks[to]));
    branch.counts.push_back(found == taken.end() ? 0 : found->second);
    branch.ran = add_saturated(branch.ran, branch.counts.back());
  }
}

// Whatever does not come by a branch.
u64 BranchReader::entries_by_running_on(u64 address) const {
  u64 ran = counts_->at(address), jumped = 0;
  for (const auto& one : counts_->to(address)) jumped = add_saturated(jumped, one.count);
  return ran - std::min(jumped, ran);
}

u64 BranchReader::source_of(u64 address) const {
  if (!frames_) return 0;
  const auto& part = frames_->at(address);
  if (part.frames.empty() || part.frames.back().line == 0) return 0;
  u64 place = 1;
  for (const auto& frame : part.frames)
    for (u64 word :
         {u64{std::hash<std::string_view>{}(frame.function)}, u64{frame.line} << 32 | frame.column,
          u64{dwarf::base_discriminator(frame.discriminator, program_.discriminators())}})
      place = profile::mix_bits(place ^ word);
  return place;
}

}  // namespace pgokit::annotate
