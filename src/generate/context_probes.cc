#include "generate/context_probes.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "generate/hit_functions.h"
#include "generate/known_callees.h"
#include "generate/probe_contexts.h"

namespace pgokit::generate {
namespace {

using binary::CodeIndex;
using profile::ContextId;
using profile::FunctionSamples;
using unwind::CallPath;

// What all threads read.
struct Known {
  const probe::Descriptors& descriptors;
  const probe::Decoded& decoded;
  const ProbeCode& code;
  const CodeFunctions& functions;
  const KnownCallees& callees;
  std::span<const NameId> names;  // of the functions of nodes
  const MissingFrames* missing;   // null: none are looked for
  const ContextProfileOptions& options;
};

// Fills one profile after the other, whose names are those of the whole.
class ContextProbes {
 public:
  ContextProbes(const Known& known, const unwind::CallPaths& paths)
      : known_(known),
        decoded_(known.decoded),
        code_(known.code),
        contexts_(known.decoded, known.code, known.names, paths, known.functions, known.missing,
                  known.options),
        counts_(known.code.slots()),
        context_of_node_(known.decoded.nodes().size()) {}

  void start(profile::Profile& profile) {
    profile_ = &profile;
    contexts_.start(profile.contexts);
  }

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
    CodeIndex hit{};  // where its code was hit first
    ContextId context = ContextId::none;
    FunctionSamples* samples = nullptr;  // null: its function is not known
  };

  void count(const unwind::Range& range) {
    if (range.count == 0) return;
    for (const auto& hit : code_.in(range.first, range.last)) {
      counts_[hit.slot] = profile::add_saturated(counts_[hit.slot], range.count);
      auto& node = context_of_node_[hit.node];
      if (node.hit_round == round_) continue;
      node.hit_round = round_;
      node.hit = hit.at;
      hit_nodes_.push_back(hit.node);
    }
  }

  // Probes of the node that did not run are reported too: not those that are gone, whose count
  // nobody knows.
  void add_node(u32 node) {
    const auto& place = context_of(node, context_of_node_[node].hit);
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
    const auto& context = profile_->contexts.node(place.context);
    if (!inlinee.is_inlined() || context.parent == ContextId::none) return;
    u32 inliner = decoded_.nodes()[inlinee.parent].descriptor;
    if (inliner == probe::none) return;
    auto call_site = context.call_site;
    auto& caller = profile_->function(context.parent);
    caller.checksum = known_.descriptors.list()[inliner].hash;
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
    if (auto callee = known_.callees.entered_at(branch.to))
      samples->add_target({call->index, call->discriminator}, *callee, branch.count);
  }

  const NodeContext& context_of(u32 node, CodeIndex place) {
    auto& known = context_of_node_[node];
    if (known.round == round_) return known;
    known.round = round_;
    known.samples = nullptr;
    known.context = contexts_.of(path_, known_.functions.at(place), node);
    if (known.context == ContextId::none) return known;
    const auto& one = decoded_.nodes()[node];
    known.samples = &profile_->function(known.context);
    known.samples->checksum = known_.descriptors.list()[one.descriptor].hash;
    if (one.is_inlined()) known.samples->attributes |= profile::was_inlined;
    return known;
  }

  const Known& known_;
  const probe::Decoded& decoded_;
  const ProbeCode& code_;
  ProbeContexts contexts_;
  profile::Profile* profile_ = nullptr;
  CallPath path_{};
  u64 round_ = 0;
  std::vector<u64> counts_;  // of slots
  std::vector<NodeContext> context_of_node_;
  std::vector<u32> hit_nodes_;
};

// Moves the functions of a part into the whole.
void absorb(profile::Profile& whole, profile::Profile part) {
  if (whole.contexts.end() == 1) {
    std::swap(whole.contexts, part.contexts);
    for (auto& [context, samples] : part.functions()) whole.function(context) = std::move(samples);
    return;
  }
  std::vector<ContextId> renumbered(part.contexts.end());
  for (u32 i = 1; i < renumbered.size(); ++i) {
    const auto& node = part.contexts.node(ContextId{i});
    renumbered[i] = whole.contexts.child(renumbered[static_cast<size_t>(node.parent)],
                                         node.call_site, node.function);
  }
  for (auto& [context, samples] : part.functions()) {
    ContextId id = renumbered[static_cast<size_t>(context)];
    if (auto* known = whole.find(id)) {
      known->checksum = samples.checksum;
      known->attributes |= samples.attributes;
      merge(*known, samples);
    } else {
      whole.function(id) = std::move(samples);
    }
  }
}

// Parts come in any order and go into the whole in theirs, as soon as those before are there.
class InOrder {
 public:
  InOrder(size_t parts, profile::Profile& whole) : waiting_(parts), whole_(whole) {}

  void add(size_t number, profile::Profile part) {
    std::scoped_lock held(lock_);
    waiting_[number] = std::move(part);
    for (; next_ < waiting_.size() && waiting_[next_]; ++next_)
      absorb(whole_, std::move(*std::exchange(waiting_[next_], {})));
  }

 private:
  std::mutex lock_;
  size_t next_ = 0;
  std::vector<std::optional<profile::Profile>> waiting_;
  profile::Profile& whole_;
};

// The size of parts does not depend on the number of threads, so that nothing else does.
void add_all(const Known& known, const unwind::ContextCounts& counts, profile::Profile& whole) {
  constexpr size_t at_once = 8192;
  size_t parts = (counts.size() + at_once - 1) / at_once;
  InOrder in_order(parts, whole);
  std::vector<std::optional<ContextProbes>> workers(worker_count(known.options.threads));
  parallel_for(parts, known.options.threads, [&](size_t part, unsigned worker) {
    auto& samples =
        workers[worker] ? *workers[worker] : workers[worker].emplace(known, counts.paths);
    profile::Profile made;
    samples.start(made);
    size_t end = std::min(counts.size(), (part + 1) * at_once);
    for (size_t i = part * at_once; i < end; ++i)
      samples.add(counts.path(i), counts.ranges(i), counts.branches(i));
    in_order.add(part, std::move(made));
  });
}

}  // namespace

Status add_context_probes(const binary::Program& program, const unwind::ContextCounts& counts,
                          const ContextProfileOptions& options, ContextResult& result) {
  auto& profile = result.profile;
  auto table = std::make_unique<probe::Table>(TRY(program.probe_table()));
  CodeFunctions functions(program);
  result.functions_hit = functions_hit(program.functions(), functions, counts);
  auto decoded = decode_probes(program, *table, result.functions_hit);
  ProbeCode code(program, decoded);
  std::optional<MissingFrames> missing;
  if (options.infer_missing_frames)
    missing.emplace(program, functions, counts, options.max_search_depth);
  std::vector<NameId> names;
  for (const auto& node : decoded.nodes())
    names.push_back(profile.names.intern(decoded.name_of(node)));
  KnownCallees callees(program, CalleeNames(program.functions(), profile.names, &decoded),
                       counts.all_branches());
  add_all({table->descriptors(), decoded, code, functions, callees, names,
           missing ? &*missing : nullptr, options},
          counts, profile);
  result.probes_without_descriptor = decoded.unknown_functions();
  result.probe_table = std::move(table);
  result.probes = std::move(decoded);
  return {};
}

}  // namespace pgokit::generate
