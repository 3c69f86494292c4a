#include "generate/context_probes.h"

#include "generate/callee_cache.h"
#include "generate/hit_functions.h"
#include "generate/probe_contexts.h"

namespace pgokit::generate {
namespace {

using binary::CodeIndex;
using profile::ContextId;
using profile::FunctionSamples;
using unwind::CallPath;

class ContextProbes {
 public:
  ContextProbes(const probe::Decoded& decoded, const ProbeCode& code,
                const CodeFunctions& functions, ProbeContexts& contexts,
                const probe::Descriptors& descriptors, profile::Profile& profile,
                CalleeCache& callees)
      : decoded_(decoded),
        code_(code),
        functions_(functions),
        contexts_(contexts),
        descriptors_(descriptors),
        profile_(profile),
        callees_(callees),
        counts_(code.slots()),
        context_of_node_(decoded.nodes().size()) {}

  void add(CallPath path, std::span<const unwind::Range> ranges,
           std::span<const unwind::Branch> branches) {
    path_ = path;
    ++round_;
    hit_nodes_.clear();
    for (const auto& range : ranges) count(range);
    for (u32 node : hit_nodes_) add_node(node);
    for (const auto& branch : branches) add_branch(branch);
  }

 private:
  // What a node's context is in this round.
  struct NodeContext {
    u64 round = 0, hit_round = 0;
    ContextId context = ContextId::none;
    FunctionSamples* samples = nullptr;  // null: its function is not known
  };

  void count(const unwind::Range& range) {
    if (range.count == 0) return;
    for (const auto& hit : code_.in(range.first, range.last)) {
      counts_[hit.slot] = profile::add_saturated(counts_[hit.slot], range.count);
      if (context_of_node_[hit.node].hit_round == round_) continue;
      context_of_node_[hit.node].hit_round = round_;
      hit_nodes_.push_back(hit.node);
    }
  }

  // Probes of the node that did not run are reported too: not those that are gone, whose count
  // nobody knows.
  void add_node(u32 node) {
    const auto& place = context_of(node, code_.place_of(node));
    u32 first = code_.first_slot(node), end = code_.end_slot(node);
    if (place.samples && place.samples->body.empty()) place.samples->body.reserve(end - first);
    for (u32 slot = first; slot < end; ++slot) {
      u64 count = counts_[slot];
      counts_[slot] = 0;
      if (!place.samples) continue;
      auto location = code_.location(slot);
      place.samples->add_body(location, count);
      place.samples->add_total(count);
      if (location.line_offset == 1 && count > 0) add_entry(node, place, count);
    }
  }

  // An inlined copy is entered without a branch: its first probe tells how often, and its caller's
  // call site hears of it.
  void add_entry(u32 node, const NodeContext& place, u64 count) {
    place.samples->add_head(count);
    const auto& inlinee = decoded_.nodes()[node];
    const auto& context = profile_.contexts.node(place.context);
    if (!inlinee.is_inlined() || context.parent == ContextId::none) return;
    u32 inliner = decoded_.nodes()[inlinee.parent].descriptor;
    if (inliner == probe::none) return;
    auto call_site = context.call_site;
    auto& caller = profile_.function(context.parent);
    caller.checksum = descriptors_.list()[inliner].hash;
    caller.add_body(call_site, count);
    caller.add_total(count);
    caller.add_target(call_site, place.samples->name, count);
  }

  void add_branch(const unwind::Branch& branch) {
    if (branch.from == binary::no_code) return;
    const auto* call = code_.call(branch.from);
    if (!call) return;
    auto* samples = context_of(call->node, branch.from).samples;
    if (!samples) return;
    samples->add_body({call->index, 0}, branch.count);
    samples->add_total(branch.count);
    if (auto callee = callees_.entered_at(branch.to))
      samples->add_target({call->index, call->discriminator}, *callee, branch.count);
  }

  const NodeContext& context_of(u32 node, CodeIndex place) {
    auto& known = context_of_node_[node];
    if (known.round == round_) return known;
    known.round = round_;
    known.samples = nullptr;
    u32 function = place == binary::no_code ? CodeFunctions::none : functions_.at(place);
    known.context = contexts_.of(path_, function, node);
    if (known.context == ContextId::none) return known;
    const auto& one = decoded_.nodes()[node];
    known.samples = &profile_.function(known.context);
    known.samples->checksum = descriptors_.list()[one.descriptor].hash;
    if (one.is_inlined()) known.samples->attributes |= profile::was_inlined;
    return known;
  }

  const probe::Decoded& decoded_;
  const ProbeCode& code_;
  const CodeFunctions& functions_;
  ProbeContexts& contexts_;
  const probe::Descriptors& descriptors_;
  profile::Profile& profile_;
  CalleeCache& callees_;
  CallPath path_{};
  u64 round_ = 0;
  std::vector<u64> counts_;  // of slots
  std::vector<NodeContext> context_of_node_;
  std::vector<u32> hit_nodes_;
};

}  // namespace

Status add_context_probes(const binary::Program& program, const unwind::ContextCounts& counts,
                          const ContextProfileOptions& options, ContextResult& result) {
  auto& profile = result.profile;
  auto table = TRY(program.probe_table());
  CodeFunctions functions(program);
  result.functions_hit = functions_hit(program.functions(), functions, counts);
  auto decoded = decode_probes(program, table, result.functions_hit);
  ProbeCode code(program, decoded);
  std::optional<MissingFrames> missing;
  if (options.infer_missing_frames)
    missing.emplace(program, functions, counts, options.max_search_depth);
  ProbeContexts contexts(decoded, code, counts.paths, functions, missing ? &*missing : nullptr,
                         profile, options);
  CalleeCache callees(program, CalleeNames(program.functions(), profile.names, &decoded));
  ContextProbes samples(decoded, code, functions, contexts, table.descriptors(), profile, callees);
  for (size_t i = 0; i < counts.size(); ++i)
    samples.add(counts.path(i), counts.ranges(i), counts.branches(i));
  result.probes_without_descriptor = decoded.unknown_functions();
  return {};
}

}  // namespace pgokit::generate
