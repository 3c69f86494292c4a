#include "generate/context/lines/context_lines.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "generate/context/context_order.h"
#include "generate/context/lines/leaf_counts.h"

namespace pgokit::generate {
namespace {

constexpr size_t at_once = 4096;

using profile::ContextId;
using profile::LineLocation;

// What some of the contexts give.
struct Part {
  // Of a context with samples.
  struct Facts {
    u32 context;
    u64 total;
    LeafCounts::FirstPlace first;
    bool leaf_inlined;
  };
  // A callee whose context nobody was sampled in.
  struct Unsampled {
    u32 caller;
    LineLocation call_site;
    NameId callee;
    u64 count;
  };
  std::vector<Facts> facts;
  ContextPool records;
  std::vector<Unsampled> unsampled;
};

// The contexts that each one leads to.
class Callees {
 public:
  explicit Callees(const std::vector<profile::Contexts::Node>& contexts)
      : first_(contexts.size()), next_(contexts.size()) {
    for (auto id = static_cast<u32>(contexts.size()); id-- > 1;)
      next_[id] = std::exchange(first_[static_cast<u32>(contexts[id].parent)], id);
  }
  template <class Each>
  void for_each(u32 context, const Each& each) const {
    for (u32 callee = first_[context]; callee != 0; callee = next_[callee]) each(callee);
  }

 private:
  std::vector<u32> first_, next_;  // by context; 0: none
};

class ContextLines {
 public:
  ContextLines(const program::Program& program, unwind::ContextCounts counts,
               const ContextProfileOptions& options)
      : program_(program), counts_(std::move(counts)), options_(options) {}

  ContextSamples make() && {
    samples_.names = std::move(counts_.names);
    nodes_ = std::exchange(counts_.contexts, {}).take_nodes();
    count_parts();
    counts_ = unwind::ContextCounts(unwind::ContextCounts::Kind::lines);
    add_tops();
    make_contexts();
    infer_inlined_calls();
    collect_records();
    samples_.finish(options_.threads);
    return std::move(samples_);
  }

 private:
  void count_parts();
  struct Worker {
    LeafCounts leaf;
    ContextPool records;    // of the part at hand: copied into no more memory than it needs
    std::vector<u8> known;  // by entry of the leaf
  };
  void count_part(Worker& worker, const Callees& callees, size_t begin, size_t end, Part& part);
  void enter_callees(Worker& worker, const Callees& callees, u32 context, Part& part);
  void add_tops();
  void make_contexts();
  void add_facts(Part& part);
  void infer_inlined_calls();
  void add_inferred_call(const ContextSamples::Context& callee);
  void collect_records();
  template <class Each>
  void for_each_part(const Each& each) {
    parallel_for(parts_.size(), options_.threads, [&](size_t i, unsigned) { each(parts_[i]); });
  }
  ContextPool inferred_calls(size_t begin, size_t end) const;

  const program::Program& program_;
  unwind::ContextCounts counts_;
  std::vector<profile::Contexts::Node> nodes_;
  const ContextProfileOptions& options_;
  ContextSamples samples_;
  std::vector<u32> numbers_;           // in samples_, by number in nodes_
  std::vector<u32> location_of_site_;  // by call
  std::vector<Part> parts_;
  // By context: whether it was called, and how often.
  std::vector<u8> called_;
  std::vector<u64> calls_;
  std::vector<LeafCounts::Entry> entered_tops_;  // from nowhere that is known
};

u8 flags_of_called(u64 count) {
  return ContextSamples::has_samples | (count ? ContextSamples::entered : 0);
}

void ContextLines::count_parts() {
  LeafLines lines(program_, counts_.touched_ranges(), counts_.touched_branches(),
                  samples_.locations, options_.threads);
  KnownCallees entered(program_, CalleeNames(program_.functions(), samples_.names),
                       counts_.touched_branches());
  Callees callees(nodes_);
  called_.resize(nodes_.size());
  calls_.resize(nodes_.size());
  Chunks chunks{counts_.size(), at_once};
  parts_.resize(chunks.count());
  std::vector<std::optional<Worker>> workers(worker_count(options_.threads));
  parallel_for(parts_.size(), options_.threads, [&](size_t part, unsigned number) {
    auto& worker = workers[number];
    if (!worker) worker.emplace(LeafCounts(program_, lines, entered, samples_.locations));
    worker->records.clear();
    count_part(*worker, callees, chunks.begin(part), chunks.end(part), parts_[part]);
    parts_[part].records = worker->records;
    counts_.forget(chunks.begin(part), chunks.end(part));
  });
}

void ContextLines::count_part(Worker& worker, const Callees& callees, size_t begin, size_t end,
                              Part& part) {
  auto& leaf = worker.leaf;
  constexpr size_t ahead = 6;  // what they need of the code is all over the memory
  for (size_t i = begin; i < end; ++i) {
    if (i + 2 * ahead < end)
      leaf.prefetch_places(counts_.ranges(i + 2 * ahead), counts_.branches(i + 2 * ahead));
    if (i + ahead < end)
      leaf.prefetch_parts(counts_.ranges(i + ahead), counts_.branches(i + ahead));
    auto context = static_cast<u32>(counts_.context(i));
    if (context == ContextSamples::root) {  // one part has it
      leaf.count_entries(counts_.branches(i));
      entered_tops_.assign(leaf.entries().begin(), leaf.entries().end());
      continue;
    }
    leaf.count(counts_.ranges(i), counts_.branches(i));
    worker.records.begin(context);
    for (const auto& [location, count] : leaf.rows()) worker.records.add_row(location, count);
    for (const auto& [location, callee, count] : leaf.targets())
      worker.records.add_target(location, callee, count);
    u64 total = options_.update_totals ? leaf.sum_of_lines() : leaf.total();
    part.facts.push_back({context, total, leaf.first(), counts_.leaf_inlined(i)});
    enter_callees(worker, callees, context, part);
  }
}

// All calls of a context come from one other, so that no two threads write about the same.
void ContextLines::enter_callees(Worker& worker, const Callees& callees, u32 context, Part& part) {
  auto entries = worker.leaf.entries();
  if (entries.empty()) return;
  worker.known.assign(entries.size(), false);
  callees.for_each(context, [&](u32 callee) {
    const auto& node = nodes_[callee];
    auto key = std::pair(node.call_site, node.function);
    auto entry = std::ranges::lower_bound(entries, key, {}, &LeafCounts::Entry::key);
    if (entry == entries.end() || entry->key() != key) return;
    called_[callee] = true;
    calls_[callee] = entry->count;
    worker.known[static_cast<size_t>(entry - entries.begin())] = true;
  });
  for (size_t i = 0; i < entries.size(); ++i)
    if (!worker.known[i])
      part.unsampled.push_back(
          {context, entries[i].call_site, entries[i].callee, entries[i].count});
}

// Contexts get numbers behind those of their callers.
void ContextLines::add_tops() {
  tsl::robin_map<NameId, u32> tops;
  for (u32 id = 1; id < nodes_.size(); ++id)
    if (nodes_[id].parent == ContextId::none) tops[nodes_[id].function] = id;
  for (const auto& [call_site, callee, count] : entered_tops_) {
    auto [top, fresh] = tops.try_emplace(callee, static_cast<u32>(nodes_.size()));
    if (fresh) {
      nodes_.push_back({ContextId::none, {}, callee});
      called_.push_back(false);
      calls_.push_back(0);
    }
    called_[top->second] = true;
    calls_[top->second] = add_saturated(calls_[top->second], count);
  }
}

// With those that nobody was sampled in, behind all others.
void ContextLines::make_contexts() {
  std::vector<u8> flags(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (called_[i]) flags[i] = flags_of_called(calls_[i]);
  free_memory_of(called_);
  for_each_part([&](Part& part) {
    for (const auto& facts : part.facts)
      flags[facts.context] |=
          ContextSamples::has_samples | (facts.leaf_inlined ? ContextSamples::was_inlined : 0);
  });
  for (const auto& part : parts_) {
    for (const auto& [caller, call_site, callee, count] : part.unsampled) {
      nodes_.push_back({ContextId{caller}, call_site, callee});
      flags.push_back(flags_of_called(count));
      calls_.push_back(count);
    }
  }
  numbers_ = order_contexts(std::move(nodes_), std::move(flags), options_.threads, samples_);
  parallel_each(calls_.size(), at_once, options_.threads, [&](size_t i, unsigned) {
    if (calls_[i]) samples_.counts.set(samples_.contexts[numbers_[i]].entries, calls_[i]);
  });
  free_memory_of(calls_);
  for_each_part([&](Part& part) { add_facts(part); });
  return_free_memory();
}

void ContextLines::add_facts(Part& part) {
  for (const auto& facts : std::exchange(part.facts, {})) {
    auto& context = samples_.contexts[numbers_[facts.context]];
    samples_.counts.set(context.total, facts.total);
    if (context.flags & ContextSamples::entered) continue;
    context.first_location = facts.first.location;
    samples_.counts.set(context.entries, facts.first.count);
  }
}

// Inlined copies are entered without a branch, so that nothing at their call site tells of it.
bool is_entered_silently(const ContextSamples::Context& context) {
  return (context.flags & (ContextSamples::has_samples | ContextSamples::entered)) ==
             ContextSamples::has_samples &&
         context.parent != ContextSamples::root;
}

// An estimate, by their own samples.
u64 silent_entries(const ContextSamples& samples, const ContextSamples::Context& context) {
  if (u64 entries = samples.counts.get(context.entries)) return entries;
  return samples.counts.get(context.total) > 0 || context.first_location == ContextSamples::none;
}

// Innermost first, for estimates count as samples of the caller.
void ContextLines::infer_inlined_calls() {
  for (const auto& call : samples_.calls)
    location_of_site_.push_back(samples_.locations.intern(call.site));
  constexpr u32 ahead = 16;
  for (auto id = static_cast<u32>(samples_.size()); id-- > 1;) {
    if (id > ahead) __builtin_prefetch(&samples_.contexts[samples_.contexts[id - ahead].parent]);
    if (is_entered_silently(samples_.contexts[id])) add_inferred_call(samples_.contexts[id]);
  }
}

void ContextLines::add_inferred_call(const ContextSamples::Context& callee) {
  u64 calls = silent_entries(samples_, callee);
  u32 location = location_of_site_[callee.call];
  auto& caller = samples_.contexts[callee.parent];
  caller.set(ContextSamples::has_samples);
  samples_.counts.add(caller.total, calls);
  if (caller.flags & ContextSamples::entered) return;
  auto& first = caller.first_location;
  if (first == location) {
    samples_.counts.add(caller.entries, calls);
  } else if (first == ContextSamples::none ||
             samples_.locations[location] < samples_.locations[first]) {
    first = location;
    samples_.counts.set(caller.entries, calls);
  }
}

// Of the callers from `begin` to `end`.
ContextPool ContextLines::inferred_calls(size_t begin, size_t end) const {
  ContextPool pool;
  for (size_t caller = std::max<size_t>(begin, 1); caller < end; ++caller) {
    bool is_first = true;
    for (u32 child : samples_.children(static_cast<u32>(caller))) {
      const auto& callee = samples_.contexts[child];
      if (!is_entered_silently(callee)) continue;
      if (std::exchange(is_first, false)) pool.begin(static_cast<u32>(caller));
      pool.add_call(location_of_site_[callee.call], samples_.calls[callee.call].callee,
                    silent_entries(samples_, callee));
    }
  }
  return pool;
}

void ContextLines::collect_records() {
  Chunks chunks{samples_.size(), 1 << 16};
  std::vector<ContextPool> pools(parts_.size() + chunks.count());
  parallel_for(pools.size(), options_.threads, [&](size_t i, unsigned) {
    auto& pool = pools[i];
    if (i < parts_.size()) {
      pool = std::move(parts_[i].records);
      pool.renumber([&](u32 context) { return numbers_[context]; });
    } else {
      size_t chunk = i - parts_.size();
      pool = inferred_calls(chunks.begin(chunk), chunks.end(chunk));
    }
  });
  free_memory_of(parts_);
  samples_.records = ContextRecords(std::move(pools), samples_.size(), options_.threads);
}

}  // namespace

ContextSamples context_lines(const program::Program& program, unwind::ContextCounts counts,
                             const ContextProfileOptions& options) {
  return ContextLines(program, std::move(counts), options).make();
}

}  // namespace pgokit::generate
