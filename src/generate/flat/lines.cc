#include "generate/flat/lines.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "dwarf/discriminator.h"
#include "dwarf/line_offset.h"
#include "generate/functions/callee_names.h"
#include "generate/functions/frame_names.h"

namespace pgokit::generate {
namespace {

using profile::FunctionSamples;
using profile::LineLocation;

// Fills a profile with the samples of code that is given in its order.
class LineSamples {
 public:
  LineSamples(const program::Program& program, dwarf::FrameCursor& cursor,
              profile::Profile& profile)
      : code_(program.code()),
        discriminators_(program.discriminators()),
        callees_(program.functions(), profile.names),
        names_(profile.names),
        profile_(profile),
        cursor_(cursor) {}

  void add_piece(const samples::RangeCount& piece) {
    for (u64 at = piece.start.value; at <= piece.last.value;) {
      const auto& part = cursor_.at(at);
      u64 last = std::min(part.end - 1, piece.last.value);
      if (!part.frames.empty()) add_part(part, at, last, piece.count);
      if (last == piece.last.value) break;
      at = last + 1;
    }
  }

  void add_branch(const samples::BranchCount& branch) {
    auto name = callees_.name_at(branch.to);
    if (name.empty()) return;
    NameId callee = names_.id(name);
    const auto& part = cursor_.at(branch.from.value);
    if (!part.frames.empty()) {
      const auto& leaf = part.frames.back();
      LineLocation location = location_of(leaf, leaf.discriminator);
      leaf_samples(part).back()->add_target(location, callee, branch.count);
    }
    profile_.function(callee).add_head(branch.count);
  }

  void add_vtable(const samples::VtableAccess& access) {
    const auto& part = cursor_.at(access.ip.value);
    if (part.frames.empty()) return;
    const auto& leaf = part.frames.back();
    leaf_samples(part).back()->add_vtable(location_of(leaf, leaf.discriminator),
                                          profile_.names.intern(access.vtable), access.count);
  }

 private:
  // Totals count bytes of executed code; the body of a line is that of its hottest instruction.
  void add_part(const dwarf::FramePart& part, u64 first, u64 last, u64 count) {
    u64 bytes = code_.instruction_bytes({first}, {last});
    if (bytes == 0) return;
    const auto& chain = leaf_samples(part);
    for (auto* samples : chain) samples->add_total(multiply_saturated(count, bytes));
    const auto& leaf = part.frames.back();
    u32 factor = dwarf::duplication_factor(leaf.discriminator, discriminators_);
    chain.back()->raise_body(location_of(leaf, leaf.discriminator),
                             multiply_saturated(count, factor));
  }

  LineLocation location_of(const dwarf::Frame& frame, u32 discriminator) const {
    return {dwarf::line_offset(frame), dwarf::base_discriminator(discriminator, discriminators_)};
  }

  // The samples of the part's functions, outermost first. Neighbouring parts mostly share them.
  const std::vector<FunctionSamples*>& leaf_samples(const dwarf::FramePart& part) {
    if (part.scope == scope_ && part.unit == unit_ && !chain_.empty()) return chain_;
    scope_ = part.scope;
    unit_ = part.unit;
    chain_.clear();
    auto* samples = &profile_.function(names_.id(part.frames[0].function));
    chain_.push_back(samples);
    for (size_t i = 1; i < part.frames.size(); ++i) {
      const auto& site = part.frames[i - 1];
      samples = &samples->inlinee(location_of(site, site.discriminator),
                                  names_.id(part.frames[i].function));
      chain_.push_back(samples);
    }
    return chain_;
  }

  const program::CodeMap& code_;
  dwarf::Discriminators discriminators_;
  CalleeNames callees_;
  FrameNames names_;
  profile::Profile& profile_;
  dwarf::FrameCursor& cursor_;
  std::vector<FunctionSamples*> chain_;
  u64 scope_ = 0;
  u32 unit_ = 0;
};

// What one thread does at a time: neighbouring pieces, and the branches from them.
struct Share {
  std::span<const samples::RangeCount> pieces;
  std::span<const samples::BranchCount> branches;
};

std::vector<Share> shares_of(std::span<const samples::RangeCount> pieces,
                             std::span<const samples::BranchCount> branches) {
  constexpr size_t at_once = 1 << 14;
  std::vector<Share> shares(pieces.size() / at_once + 1);
  for (auto& share : shares) {
    share.pieces = pieces.first(std::min(pieces.size(), at_once));
    pieces = pieces.subspan(share.pieces.size());
    auto end = pieces.empty() ? branches.end()
                              : std::ranges::lower_bound(branches, pieces[0].start, {},
                                                         &samples::BranchCount::from);
    share.branches = {branches.begin(), end};
    branches = {end, branches.end()};
  }
  return shares;
}

// In the order of the code, so that debug information is gone through once.
void add_share(const Share& share, LineSamples& samples) {
  auto branch = share.branches.begin(), end = share.branches.end();
  for (const auto& piece : share.pieces) {
    for (; branch != end && branch->from < piece.start; ++branch) samples.add_branch(*branch);
    samples.add_piece(piece);
  }
  for (; branch != end; ++branch) samples.add_branch(*branch);
}

// As if all had been counted together: the body of a line is that of its hottest instruction.
void combine(FunctionSamples& into, const FunctionSamples& from) {
  into.add_total(from.total);
  into.add_head(from.head);
  for (const auto& [location, record] : from.body.unordered()) {
    into.raise_body(location, record.samples);
    if (!record.targets) continue;
    for (const auto& [callee, count] : record.targets->unordered())
      into.add_target(location, callee, count);
  }
  for (const auto& [location, callees] : from.inlinees.unordered())
    for (const auto& [callee, samples] : callees.unordered())
      combine(into.inlinee(location, callee), *samples);
}

// Hardly any function is in two shares, but for those that are called from another.
void take(profile::Profile share, profile::Profile& profile) {
  for (auto& [context, samples] : share.functions()) {
    bool known = profile.find(profile.contexts.top(samples.name));
    auto& function = profile.function(samples.name);
    if (known)
      combine(function, samples);
    else
      function = std::move(samples);
  }
}

std::vector<NameId> entered(const profile::NameTable& names, profile::NameTable& into) {
  std::vector<NameId> ids(names.size());
  for (u32 i = 0; i < ids.size(); ++i) ids[i] = into.intern_from(names, NameId{i});
  return ids;
}

// Each share is a profile with names of its own, so that the numbers of names do not tell which
// thread came first.
std::vector<profile::Profile> profiles_of_shares(const program::Program& program,
                                                 std::vector<samples::RangeCount> pieces,
                                                 std::vector<samples::BranchCount> branches,
                                                 unsigned threads) {
  auto shares = shares_of(pieces, branches);
  std::vector<profile::Profile> found(shares.size());
  std::vector<std::unique_ptr<dwarf::FrameCursor>> cursors(worker_count(threads));
  for (auto& cursor : cursors)
    cursor = std::make_unique<dwarf::FrameCursor>(*program.debug(), dwarf::Reading::once);
  parallel_for(shares.size(), threads, [&](size_t i, unsigned worker) {
    LineSamples samples(program, *cursors[worker], found[i]);
    add_share(shares[i], samples);
    if (i % 4 == 3) release(program.file().image());  // debug information lies behind
  });
  return found;
}

}  // namespace

void add_line_samples(const program::Program& program, std::vector<samples::RangeCount> pieces,
                      std::vector<samples::BranchCount> branches, unsigned threads,
                      profile::Profile& profile) {
  if (!program.debug()) return;
  auto found = profiles_of_shares(program, std::move(pieces), std::move(branches), threads);
  std::vector<std::vector<NameId>> renamed;
  for (const auto& share : found) renamed.push_back(entered(share.names, profile.names));
  parallel_for(found.size(), threads, [&](size_t i, unsigned) {
    for (auto& function : found[i].functions()) {
      function.samples.rename(renamed[i]);
      function.samples.sort();
    }
  });
  for (auto& share : found) take(std::exchange(share, {}), profile);
}

void add_vtable_samples(const program::Program& program,
                        const std::vector<samples::VtableAccess>& accesses,
                        profile::Profile& profile) {
  if (!program.debug() || accesses.empty()) return;
  dwarf::FrameCursor cursor(*program.debug());
  LineSamples samples(program, cursor, profile);
  for (const auto& access : accesses) samples.add_vtable(access);
}

}  // namespace pgokit::generate
