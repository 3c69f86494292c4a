#include "generate/flat_lines.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/hash.h"
#include "base/parallel.h"
#include "dwarf/discriminator.h"
#include "generate/callee_names.h"

namespace pgokit::generate {
namespace {

using profile::FunctionSamples;
using profile::LineLocation;

class LineSamples {
 public:
  LineSamples(const binary::Program& program, profile::Profile& profile)
      : code_(program.code()),
        flow_sensitive_(program.has_fs_discriminators()),
        profile_(profile),
        callees_(program.functions(), profile.names),
        cursor_(*program.debug()) {}

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
    auto callee = callees_.entered_at(branch.to);
    if (!callee) return;
    const auto& part = cursor_.at(branch.from.value);
    if (!part.frames.empty()) {
      const auto& leaf = part.frames.back();
      LineLocation location = location_of(leaf, leaf.discriminator);
      leaf_samples(part).back()->add_target(location, *callee, branch.count);
    }
    profile_.function(*callee).add_head(branch.count);
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
    for (auto* samples : chain) samples->add_total(profile::multiply_saturated(count, bytes));
    const auto& leaf = part.frames.back();
    u32 factor = dwarf::duplication_factor(leaf.discriminator, flow_sensitive_);
    chain.back()->raise_body(location_of(leaf, leaf.discriminator),
                             profile::multiply_saturated(count, factor));
  }

  LineLocation location_of(const dwarf::Frame& frame, u32 discriminator) const {
    return {(frame.line - frame.start_line) & 0xffff,
            dwarf::base_discriminator(discriminator, flow_sensitive_)};
  }

  // The samples of the part's functions, outermost first. Neighbouring parts mostly share them.
  const std::vector<FunctionSamples*>& leaf_samples(const dwarf::FramePart& part) {
    if (part.scope == scope_ && part.unit == unit_ && !chain_.empty()) return chain_;
    scope_ = part.scope;
    unit_ = part.unit;
    chain_.clear();
    auto* samples = &profile_.function(name_of(part.frames[0]));
    chain_.push_back(samples);
    for (size_t i = 1; i < part.frames.size(); ++i) {
      const auto& site = part.frames[i - 1];
      samples = &samples->inlinee(location_of(site, site.discriminator), name_of(part.frames[i]));
      chain_.push_back(samples);
    }
    return chain_;
  }

  NameId name_of(const dwarf::Frame& frame) {
    auto [known, added] = name_ids_.try_emplace(frame.function.data());
    if (added || profile_.names.text(known->second).size() != frame.function.size())
      known.value() = profile_.names.intern(frame.function);
    return known->second;
  }

  const binary::CodeMap& code_;
  bool flow_sensitive_;
  profile::Profile& profile_;
  CalleeNames callees_;
  dwarf::FrameCursor cursor_;
  tsl::robin_map<const char*, NameId> name_ids_;
  std::vector<FunctionSamples*> chain_;
  u64 scope_ = 0;
  u32 unit_ = 0;
};

// Debug information is read when first asked about: here on all threads.
void read_lines(const dwarf::DebugInfo& debug, const std::vector<samples::RangeCount>& pieces,
                unsigned threads) {
  constexpr size_t at_once = 64;
  if (worker_count(threads) == 1) return;
  parallel_for((pieces.size() + at_once - 1) / at_once, threads, [&](size_t group, unsigned) {
    dwarf::FrameCursor cursor(debug);
    size_t end = std::min(pieces.size(), (group + 1) * at_once);
    for (size_t i = group * at_once; i < end; ++i) cursor.at(pieces[i].start.value);
  });
}

}  // namespace

void add_line_samples(const binary::Program& program,
                      const std::vector<samples::RangeCount>& pieces,
                      const std::vector<samples::BranchCount>& branches, unsigned threads,
                      profile::Profile& profile) {
  if (!program.debug()) return;
  read_lines(*program.debug(), pieces, threads);
  LineSamples samples(program, profile);
  for (const auto& piece : pieces) samples.add_piece(piece);
  for (const auto& branch : branches) samples.add_branch(branch);
}

void add_vtable_samples(const binary::Program& program,
                        const std::vector<samples::VtableAccess>& accesses,
                        profile::Profile& profile) {
  if (!program.debug() || accesses.empty()) return;
  LineSamples samples(program, profile);
  for (const auto& access : accesses) samples.add_vtable(access);
}

}  // namespace pgokit::generate
