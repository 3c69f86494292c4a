#include "generate/context_lines.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/parallel.h"
#include "dwarf/discriminator.h"
#include "generate/disjoint.h"
#include "generate/known_callees.h"
#include "generate/leaf_lines.h"

namespace pgokit::generate {
namespace {

using binary::CodeIndex;
using profile::ContextId;
using profile::FunctionSamples;
using profile::LineLocation;

// A callee that was entered.
struct Entry {
  ContextId caller;
  LineLocation call_site;
  NameId callee;
  u64 count;
};

// What some of the contexts give.
struct Part {
  std::deque<profile::Function> functions;
  std::vector<Entry> entries;
};

class ContextLines {
 public:
  ContextLines(const binary::Program& program, const LeafLines& lines, const KnownCallees& callees,
               Part& part)
      : code_(program.code()),
        flow_sensitive_(program.has_fs_discriminators()),
        lines_(lines),
        callees_(callees),
        part_(part) {}

  void add(ContextId context, bool leaf_inlined, std::span<const unwind::Range> ranges,
           std::span<const unwind::Branch> branches) {
    bool known = context != ContextId::none;
    if (known) {
      pieces_.clear();
      for (const auto& range : ranges)
        pieces_.push_back(
            {{static_cast<u32>(range.first)}, {static_cast<u32>(range.last)}, range.count});
      for (const auto& piece : disjoint_pieces(pieces_)) add_piece(samples_, piece);
    }
    for (const auto& branch : branches) add_branch(context, known ? &samples_ : nullptr, branch);
    if (known) put_away(context, leaf_inlined);
  }

 private:
  // Totals count instructions; the body of a line is that of its hottest one.
  void add_piece(FunctionSamples& samples, const samples::RangeCount& piece) {
    if (piece.count == 0) return;
    auto last = CodeIndex(static_cast<u32>(piece.last.value));
    auto at = code_.at_or_after(CodeIndex(static_cast<u32>(piece.start.value)));
    while (at != binary::no_code && at <= last) {
      const auto* part = lines_.at(at);
      u64 end = part ? part->end : static_cast<u32>(at) + 1;
      u64 instructions = 0;
      for (; at != binary::no_code && at <= last && static_cast<u32>(at) < end; ++instructions)
        at = code_.at_or_after(CodeIndex(static_cast<u32>(at) + code_.length(at)));
      if (!part) continue;
      samples.add_total(profile::multiply_saturated(piece.count, instructions));
      u32 factor = dwarf::duplication_factor(part->discriminator, flow_sensitive_);
      samples.raise_body(location_of(*part), profile::multiply_saturated(piece.count, factor));
    }
  }

  void add_branch(ContextId context, FunctionSamples* samples, const unwind::Branch& branch) {
    auto callee = callees_.entered_at(branch.to);
    if (!callee) return;
    LineLocation call_site;
    const auto* part = samples && branch.from != binary::no_code ? lines_.at(branch.from) : nullptr;
    if (part) {
      samples->add_target(location_of(*part), *callee, branch.count);
      call_site = {part->line_offset, part->discriminator};
    }
    part_.entries.push_back({context, call_site, *callee, branch.count});
  }

  // With no more memory than it needs: there are millions.
  void put_away(ContextId context, bool leaf_inlined) {
    part_.functions.emplace_back().context = context;
    auto& samples = part_.functions.back().samples;
    if (leaf_inlined) samples.attributes |= profile::was_inlined;
    samples.total = std::exchange(samples_.total, 0);
    samples.body.take_all(samples_.body);
  }

  LineLocation location_of(const LeafLines::Part& part) const {
    return {part.line_offset, dwarf::base_discriminator(part.discriminator, flow_sensitive_)};
  }

  const binary::CodeMap& code_;
  bool flow_sensitive_;
  const LeafLines& lines_;
  const KnownCallees& callees_;
  Part& part_;
  std::vector<samples::RangeCount> pieces_;
  FunctionSamples samples_;  // of the context at hand
};

void take(Part part, profile::Profile& profile) {
  for (auto& [context, samples] : part.functions) {
    auto& function = profile.function(context);
    samples.name = function.name;
    function = std::move(samples);
  }
}

void take(const std::vector<Entry>& entries, profile::Profile& profile) {
  for (const auto& entry : entries) {
    auto context = profile.contexts.child(entry.caller, entry.call_site, entry.callee);
    profile.function(context).add_head(entry.count);
  }
}

void add_all(const binary::Program& program, const unwind::ContextCounts& counts,
             const LeafLines& lines, const KnownCallees& callees, unsigned threads,
             profile::Profile& profile) {
  constexpr size_t at_once = 4096;
  std::vector<Part> parts((counts.size() + at_once - 1) / at_once);
  parallel_for(parts.size(), threads, [&](size_t part, unsigned) {
    ContextLines samples(program, lines, callees, parts[part]);
    size_t end = std::min(counts.size(), (part + 1) * at_once);
    for (size_t i = part * at_once; i < end; ++i)
      samples.add(counts.context(i), counts.leaf_inlined(i), counts.ranges(i), counts.branches(i));
  });
  std::vector<std::vector<Entry>> entries;  // their functions may be in any part
  for (auto& part : parts) {
    entries.push_back(std::move(part.entries));
    take(std::exchange(part, {}), profile);
  }
  for (const auto& some : entries) take(some, profile);
}

// Inlined copies are entered without a branch, so that nothing at their call site tells of it: it
// is estimated by their own samples. Innermost first, for estimates count as samples of the caller.
void infer_inlined_calls(profile::Profile& profile) {
  for (size_t i = profile.contexts.end(); i-- > 1;) {
    auto context = static_cast<ContextId>(i);
    auto* callee = profile.find(context);
    const auto& node = profile.contexts.node(context);
    if (!callee || callee->head > 0 || node.parent == ContextId::none) continue;
    callee->sort();
    u64 calls = callee->entry_estimate(true);
    if (calls == 0 && callee->body.empty()) calls = 1;
    auto& caller = profile.function(node.parent);
    caller.add_target(node.call_site, node.function, calls);
    caller.add_body(node.call_site, calls);
    caller.add_total(calls);
  }
}

// A call site was reached at least as often as calls from it were seen.
void raise_to_calls(profile::Profile& profile, bool update_totals) {
  for (auto& function : profile.functions()) {
    auto& samples = function.samples;
    if (update_totals) samples.total = 0;
    for (auto& [location, record] : samples.body.unordered()) {
      if (update_totals) samples.add_total(record.samples);
      record.samples = std::max(record.samples, record.target_sum());
    }
  }
}

}  // namespace

void add_context_lines(const binary::Program& program, const unwind::ContextCounts& counts,
                       const ContextProfileOptions& options, profile::Profile& profile) {
  LeafLines lines(program, counts.all_ranges(), counts.all_branches(), options.threads);
  KnownCallees callees(program, CalleeNames(program.functions(), profile.names),
                       counts.all_branches());
  add_all(program, counts, lines, callees, options.threads, profile);
  infer_inlined_calls(profile);
  raise_to_calls(profile, options.update_totals);
}

}  // namespace pgokit::generate
