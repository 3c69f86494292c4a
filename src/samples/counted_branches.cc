#include "samples/counted_branches.h"

#include <algorithm>

#include "base/sort_and_sum.h"
#include "samples/branch_folder.h"

namespace pgokit::samples {
namespace {

using Place = BranchSums::Place;

// Which way execution went at a place, how often.
struct Passing {
  Place at;
  u64 comes = 0;  // to it, by a branch
  u64 stops = 0;  // being counted, before it
  u64 goes = 0;   // from it, by a branch
};

class Flow {
 public:
  void comes(Place at, u64 count) { add({.at = at, .comes = count}); }
  void stops(Place at, u64 count) { add({.at = at, .stops = count}); }
  void goes(Place at, u64 count) { add({.at = at, .goes = count}); }

  std::vector<BranchSums::Range> ranges(const program::CodeMap& code) && {
    sort_and_sum(passings_, &Passing::at, [](Passing& sum, const Passing& one) {
      sum.comes += one.comes, sum.stops += one.stops, sum.goes += one.goes;
    });
    for (const auto& one : passings_) {
      if (one.comes > 0) open_.push_back({one.at, one.at, one.comes});
      if (one.stops > 0) end(code.before(program::CodeIndex(one.at)), one.stops);
      if (one.goes > 0) end(program::CodeIndex(one.at), one.goes);
    }
    sort_and_sum(ranges_, [](const auto& range) { return std::pair(range.start, range.last); });
    return std::move(ranges_);
  }

 private:
  void add(const Passing& one) {
    if (one.at != BranchFolder::outside()) passings_.push_back(one);
  }

  // Of all that is under way at `last`, so many end there: those that came last.
  void end(program::CodeIndex last, u64 count) {
    while (count > 0 && !open_.empty()) {
      auto& newest = open_.back();
      u64 taken = std::min(count, newest.count);
      auto end = static_cast<Place>(last);
      bool any = last != program::no_code && newest.start <= end;  // it may end where it begins
      if (any) ranges_.push_back({newest.start, end, taken});
      count -= taken;
      newest.count -= taken;
      if (newest.count == 0) open_.pop_back();
    }
  }

  std::vector<Passing> passings_;
  std::vector<BranchSums::Range> open_, ranges_;
};

// Rounded, but what was seen is not forgotten.
u64 scaled(u64 count, u64 scale) { return std::max((count + scale / 2) / scale, u64{1}); }

// By file.
std::vector<bool> are_of_program(const perf::BranchCounts& counted, const ProgramMatch& match,
                                 bool any_build) {
  std::vector<bool> are;
  for (const auto& file : counted.files)
    are.push_back(match.is_program(file.path, file.build_id, any_build));
  return are;
}

}  // namespace

CountedPlaces::CountedPlaces(const perf::BranchCounts& counted, const program::CodeMap& code,
                             const ProgramMatch& match, bool any_build, const ProgramMaps& maps)
    : code_(&code), maps_(&maps), of_program_(are_of_program(counted, match, any_build)) {}

Place CountedPlaces::operator()(const perf::BranchCounts::Place& at) const {
  if (!in_program(at)) return BranchFolder::outside();
  auto index = code_->index_of(maps_->address_at({at.offset}));
  bool known = index != program::no_code && code_->is_instruction(index);
  return known ? static_cast<Place>(index) : BranchFolder::outside();
}

BranchSums sums_of(const perf::BranchCounts& counted, const program::CodeMap& code,
                   const CountedPlaces& place) {
  Flow flow;
  std::vector<BranchSums::Branch> branches;
  for (const auto& branch : counted.branches) {
    Place from = place(branch.from), to = place(branch.to);
    flow.goes(from, branch.count), flow.comes(to, branch.count);
    if (from != BranchFolder::outside() || to != BranchFolder::outside())
      branches.push_back({from, to, scaled(branch.count, counted.scale)});
  }
  for (const auto& one : counted.begun) flow.comes(place(one.at), one.count);
  for (const auto& one : counted.ended) flow.stops(place(one.at), one.count);
  auto ranges = std::move(flow).ranges(code);
  for (auto& range : ranges) range.count = scaled(range.count, counted.scale);
  sort_and_sum(branches, [](const auto& one) { return std::pair(one.from, one.to); });
  return {code, std::move(ranges), std::move(branches)};
}

BranchShare elsewhere_of(const perf::BranchCounts& counted, const ProgramMatch& match,
                         bool any_build) {
  auto of_program = are_of_program(counted, match, any_build);
  BranchShare share;
  for (const auto& [from, to, count] : counted.branches) {
    bool is_its = from.file < of_program.size() && of_program[from.file];
    share.add({.part = is_its ? 0 : count, .all = count});
  }
  return share;
}

Result<CountedBranches> counted_branches(const perf::Recording& recording,
                                         const program::Program& program, const ProgramMaps& maps,
                                         bool any_build) {
  const auto& features = recording.features();
  auto counted = TRY(perf::decode_branch_counts(features.branch_counts));
  ProgramMatch match(program.name(), program.file().build_id(), features.build_ids);
  CountedPlaces place(counted, program.code(), match, any_build, maps);
  return CountedBranches{.sums = sums_of(counted, program.code(), place),
                         .windows = counted.windows,
                         .all_counted = counted.of_all(),
                         .uncounted_stretches = counted.uncounted_stretches(),
                         .part_of_run = counted.part_of_run,
                         .elsewhere = elsewhere_of(counted, match, any_build)};
}

}  // namespace pgokit::samples
