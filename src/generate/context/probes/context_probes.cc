#include "generate/context/probes/context_probes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/saturated.h"
#include "generate/context/probes/probe_contexts.h"
#include "generate/context/probes/probe_parts.h"
#include "generate/context/probes/probe_pieces.h"
#include "generate/functions/hit_functions.h"
#include "generate/functions/known_callees.h"
#include "generate/functions/lost_loops.h"

namespace pgokit::generate {
namespace {

using profile::ContextId;
using program::CodeIndex;
using unwind::CallPath;

// What all threads read.
struct Known {
  const probe::Decoded& decoded;
  const ProbeCode& code;
  const ProbePieces& pieces;
  const LocationTable& locations;
  const KnownCallees& callees;
  std::span<const NameId> names;  // of the functions of nodes
  const MissingFrames* missing;   // null: none are looked for
  const ContextProfileOptions& options;
};

// Fills one part after the other.
class ContextProbes {
 public:
  ContextProbes(const Known& known, const unwind::CallPaths& paths)
      : known_(known),
        nodes_(known.decoded.nodes()),
        code_(known.code),
        contexts_(known.decoded, known.code, known.names, paths, known.missing, known.options),
        context_of_node_(nodes_.size()) {}

  // `first`: of the paths that will be added.
  void start(CallPath first) {
    table_.clear();
    contexts_.start(table_, first);
    part_.clear();
  }

  // For those who know what they will add: each of a context, in this order, some time apart.
  void prefetch_places(std::span<const unwind::Range> ranges,
                       std::span<const unwind::Branch> branches) const {
    for (const auto& range : ranges) known_.pieces.prefetch_place(range);
    for (const auto& branch : branches) {
      known_.callees.prefetch(branch.to);
      if (branch.from != program::no_code) code_.prefetch_call_place(branch.from);
    }
  }
  void prefetch_code(std::span<const unwind::Range> ranges,
                     std::span<const unwind::Branch> branches) const {
    for (const auto& range : ranges) known_.pieces.prefetch_range(range);
    for (const auto& branch : branches)
      if (branch.from != program::no_code) code_.prefetch_call(branch.from);
  }
  void prefetch_pieces(std::span<const unwind::Range> ranges) const {
    for (const auto& range : ranges) known_.pieces.prefetch_pieces(range);
  }

  void add(CallPath path, std::span<const unwind::Range> ranges,
           std::span<const unwind::Branch> branches) {
    path_ = path;
    ++round_;
    hit_nodes_.clear();
    counted_.clear();
    for (const auto& range : ranges) count(range);
    for (u32 node : hit_nodes_) find_entries(node);
    for (const auto& branch : branches) add_branch(branch);
    if (!std::ranges::is_sorted(calls_, {}, &Call::context))
      std::ranges::sort(calls_, {}, &Call::context);
    for (u32 node : hit_nodes_) add_node(node);
    // Of contexts none of whose nodes was hit.
    for (const auto& call : calls_) {
      if (call.done) continue;
      part_.records.begin(static_cast<u32>(call.context));
      put_calls_of(call.context);
    }
    calls_.clear();
  }

  // In no more memory than it needs.
  ProbePart part() {
    grow_states();
    ProbePart part = part_;
    part.nodes.assign(table_.nodes().begin(), table_.nodes().end());
    return part;
  }

 private:
  // What is known of a node in this round.
  struct NodeContext {
    u64 round = 0, hit_round = 0;
    u32 function = 0;  // in which its code was hit first
    u32 last = 0;      // of what was counted, in counted_
    u64 entries = 0;
    ContextId context = ContextId::none;  // none: its function is not known
  };
  // A list of a node, and what was counted of it before.
  struct Counted {
    u32 list, before;
    u64 count;
  };
  static constexpr u32 none = ~u32{0};

  void count(const unwind::Range& range) {
    if (range.count == 0) return;
    for (const auto& piece : known_.pieces.of(range)) {
      auto& node = context_of_node_[piece.node];
      if (node.hit_round != round_) {
        node.hit_round = round_;
        node.function = piece.function;
        node.last = none;
        node.entries = 0;
        hit_nodes_.push_back(piece.node);
      }
      if (piece.entries)
        node.entries =
            add_saturated(node.entries, multiply_saturated(range.count, u64{piece.entries}));
      counted_.push_back({piece.list, node.last, range.count});
      node.last = static_cast<u32>(counted_.size() - 1);
    }
  }

  // An inlined copy is entered without a branch: its first probe tells how often, and its caller's
  // call site hears of it.
  void find_entries(u32 node) {
    ContextId context = context_of(node, context_of_node_[node].function);
    if (context == ContextId::none) return;
    if (u64 entries = context_of_node_[node].entries) add_entry(node, context, entries);
  }

  void add_entry(u32 node, ContextId id, u64 count) {
    u64& head = part_.heads[static_cast<size_t>(id)];
    head = add_saturated(head, count);
    const auto& context = table_.node(id);
    if (!nodes_[node].is_inlined() || context.parent == ContextId::none) return;
    if (!contexts_.is_named(nodes_[node].parent)) return;
    u32 call_site = known_.locations.find(context.call_site);
    part_.flags[static_cast<size_t>(context.parent)] |= ContextSamples::has_samples;
    calls_.push_back({context.parent, call_site, call_site, context.function, count});
  }

  void add_branch(const unwind::Branch& branch) {
    if (branch.from == program::no_code) return;
    const auto* call = code_.call(branch.from);
    if (!call) return;
    ContextId context = context_of(call->node, call->function);
    if (context == ContextId::none) return;
    u32 row = known_.locations.find({call->index, 0});
    u32 target =
        call->discriminator ? known_.locations.find({call->index, call->discriminator}) : row;
    calls_.push_back({context, row, target, known_.callees.entered_at(branch.to), branch.count});
  }

  // Probes of the node that did not run are reported too, as all of a list's are: not those that
  // are gone, whose count nobody knows.
  void add_node(u32 node) {
    ContextId context = context_of_node_[node].context;
    if (context == ContextId::none) return;
    part_.records.begin(static_cast<u32>(context));
    for (u32 i = context_of_node_[node].last; i != none; i = counted_[i].before)
      part_.records.add_list(counted_[i].list, counted_[i].count);
    put_calls_of(context);
  }
  void put_calls_of(ContextId context) {
    for (auto& call : std::ranges::equal_range(calls_, context, {}, &Call::context)) {
      if (std::exchange(call.done, true)) return;
      if (call.callee && call.row == call.target) {
        part_.records.add_call(call.row, *call.callee, call.count);
        continue;
      }
      part_.records.add_row(call.row, call.count);
      if (call.callee) part_.records.add_target(call.target, *call.callee, call.count);
    }
  }

  // For all contexts that are in the table now.
  void grow_states() {
    part_.heads.resize(table_.end());
    part_.flags.resize(table_.end());
  }

  ContextId context_of(u32 node, u32 function) {
    auto& known = context_of_node_[node];
    if (known.round == round_) return known.context;
    known.round = round_;
    known.context = contexts_.of(path_, function, node);
    if (known.context == ContextId::none) return known.context;
    grow_states();
    u8& flags = part_.flags[static_cast<size_t>(known.context)];
    flags |= ContextSamples::has_samples;
    if (nodes_[node].is_inlined()) flags |= ContextSamples::was_inlined;
    return known.context;
  }

  const Known& known_;
  const std::vector<probe::Node>& nodes_;
  const ProbeCode& code_;
  ProbeContexts contexts_;
  // Of the part in hand.
  profile::Contexts table_;
  ProbePart part_;
  CallPath path_{};
  u64 round_ = 0;
  std::vector<Counted> counted_;
  std::vector<NodeContext> context_of_node_;
  std::vector<u32> hit_nodes_;
  // Of the path at hand: in which context, and the locations that its row and its target have.
  struct Call {
    ContextId context;
    u32 row, target;
    std::optional<NameId> callee;
    u64 count;
    bool done = false;  // it is among the records
  };
  std::vector<Call> calls_;
};

// The size of parts does not depend on the number of threads, so that nothing else does.
std::vector<ProbePart> count_parts(const Known& known, unwind::ContextCounts counts) {
  Chunks chunks{std::max<size_t>(counts.size(), 1), 8192};  // one at least: it has the root
  std::vector<ProbePart> parts(chunks.count());
  std::vector<std::optional<ContextProbes>> workers(worker_count(known.options.threads));
  parallel_for(parts.size(), known.options.threads, [&](size_t part, unsigned worker) {
    auto& samples =
        workers[worker] ? *workers[worker] : workers[worker].emplace(known, counts.paths);
    size_t begin = chunks.begin(part), end = std::min(counts.size(), chunks.end(part));
    samples.start(begin < end ? counts.path(begin) : CallPath::empty);
    constexpr size_t ahead = 6;  // what they need of the code is all over the memory
    for (size_t i = begin; i < end; ++i) {
      if (size_t next = i + 3 * ahead; next < end)
        samples.prefetch_places(counts.ranges(next), counts.branches(next));
      if (size_t next = i + 2 * ahead; next < end)
        samples.prefetch_code(counts.ranges(next), counts.branches(next));
      if (size_t next = i + ahead; next < end) samples.prefetch_pieces(counts.ranges(next));
      samples.add(counts.path(i), counts.ranges(i), counts.branches(i));
    }
    counts.forget(begin, end);
    parts[part] = samples.part();
  });
  return parts;
}

// All locations that samples can be at.
std::vector<u32> make_locations(const probe::Decoded& decoded, const ProbeCode& code,
                                ContextSamples& samples) {
  std::vector<u32> of_slot;
  for (u32 slot = 0; slot < code.slots(); ++slot)
    of_slot.push_back(samples.locations.intern(code.location(slot)));
  for (const auto& node : decoded.nodes()) samples.locations.intern({node.call_site, 0});
  for (const auto& probe : decoded.probes()) {
    samples.locations.intern({probe.index, 0});
    samples.locations.intern({probe.index, probe.discriminator});
  }
  return of_slot;
}

void name_nodes(const probe::Decoded& decoded, const probe::Descriptors& descriptors,
                ContextSamples& samples, std::vector<NameId>& names) {
  for (const auto& node : decoded.nodes()) {
    names.push_back(samples.names.intern(decoded.name_of(node)));
    samples.checksums.resize(samples.names.size());
    if (node.descriptor == probe::none) continue;
    samples.checksums[static_cast<size_t>(names.back())] = descriptors.list()[node.descriptor].hash;
  }
}

}  // namespace

Status add_context_probes(const program::Program& program, unwind::ContextCounts counts,
                          const ContextProfileOptions& options, ContextResult& result) {
  auto& samples = result.samples;
  auto table = std::make_unique<probe::Table>(TRY(program.probe_table()));
  CodeFunctions functions(program);
  probe::Decoded decoded;
  std::optional<ProbeCode> code;
  std::optional<ProbePieces> pieces;
  std::vector<u32> location_of_slot;
  std::vector<NameId> names;
  std::optional<KnownCallees> callees;
  auto read_probes = [&] {
    result.functions_hit = functions_hit(program.functions(), functions, counts);
    decoded = decode_probes(program, *table, result.functions_hit);
    if (options.lost_loops) {
      std::vector<program::CodeIndex> calls;
      for (const auto& range : counts.touched_ranges()) calls.push_back(range.last);
      add_lost_loops(program, std::move(calls), decoded);
    }
    code.emplace(program, functions, decoded);
    name_nodes(decoded, table->descriptors(), samples, names);
    callees.emplace(program, CalleeNames(program.functions(), samples.names, &decoded),
                    counts.touched_branches());
    samples.checksums.resize(samples.names.size());
    location_of_slot = make_locations(decoded, *code, samples);
    pieces.emplace(*code, counts.touched_ranges(), location_of_slot, names, options.threads,
                   samples);
  };
  std::optional<MissingFrames> missing;
  auto find_missing = [&] {
    if (options.policy.infer_missing_frames)
      missing.emplace(program, functions, counts, options.policy.max_search_depth);
  };
  parallel_for(2, options.threads,
               [&](size_t task, unsigned) { task == 0 ? read_probes() : find_missing(); });
  auto parts = count_parts({decoded, *code, *pieces, samples.locations, *callees, names,
                            missing ? &*missing : nullptr, options},
                           std::move(counts));
  join(std::move(parts), options.threads, samples);
  result.probes_without_descriptor = decoded.unknown_functions();
  result.probe_damage = decoded.damage();
  result.probe_table = std::move(table);
  result.probes = std::move(decoded);
  return {};
}

}  // namespace pgokit::generate
