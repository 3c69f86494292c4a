#include "generate/context/lines/context_lines.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/free_memory.h"
#include "base/parallel.h"
#include "base/saturated.h"
#include "generate/context/lines/leaf_counts.h"

namespace pgokit::generate {
namespace {

constexpr size_t at_once = 4096;

using profile::ContextId;
using profile::LineLocation;

// What some of the contexts give.
struct Part {
  // A context with samples; its rows and targets begin where those of the one before end.
  struct Sampled {
    u32 context;
    u32 rows_end, targets_end;
  };
  // What is known of it.
  struct Facts {
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
  std::vector<Sampled> sampled;
  std::vector<Facts> facts;  // of each
  std::vector<LeafCounts::Row> rows;
  std::vector<LeafCounts::Target> targets;
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
    collect_rows();
    samples_.finish(options_.threads);
    return std::move(samples_);
  }

 private:
  void count_parts();
  struct Worker {
    LeafCounts leaf;
    std::vector<u8> known;  // by entry of the leaf
  };
  void count_part(Worker& worker, const Callees& callees, size_t begin, size_t end, Part& part);
  void enter_callees(Worker& worker, const Callees& callees, u32 context, Part& part);
  void add_tops();
  void make_contexts();
  void enter_contexts();
  void add_part(Part& part, u32 next);
  void infer_inlined_calls();
  void add_inferred_call(const ContextSamples::Context& callee);
  void collect_rows();
  template <class Record, class Inferred>
  void collect(ContextRows<Record>& into, std::vector<Record> Part::* records,
               u32 Part::Sampled::* end, const Inferred& inferred);
  template <class Each>
  void for_each_part(const Each& each) {
    parallel_for(parts_.size(), options_.threads, [&](size_t i, unsigned) { each(parts_[i]); });
  }
  template <class Each>
  void for_each_inferred_call(const Each& each) const;

  const program::Program& program_;
  unwind::ContextCounts counts_;
  std::vector<profile::Contexts::Node> nodes_;
  const ContextProfileOptions& options_;
  ContextSamples samples_;
  std::vector<Part> parts_;
  // By context: whether it was called, and how often.
  std::vector<u8> called_;
  std::vector<u64> calls_;
  std::vector<LeafCounts::Entry> entered_tops_;  // from nowhere that is known
};

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
    count_part(*worker, callees, chunks.begin(part), chunks.end(part), parts_[part]);
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
    part.rows.insert(part.rows.end(), leaf.rows().begin(), leaf.rows().end());
    part.targets.insert(part.targets.end(), leaf.targets().begin(), leaf.targets().end());
    u64 total = options_.update_totals ? leaf.sum_of_lines() : leaf.total();
    part.sampled.push_back(
        {context, static_cast<u32>(part.rows.size()), static_cast<u32>(part.targets.size())});
    part.facts.push_back({total, leaf.first(), counts_.leaf_inlined(i)});
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

void enter(ContextSamples::Context& context, u64 count) {
  context.flags |= ContextSamples::has_samples;
  if (count) context.flags |= ContextSamples::entered;
  context.entries = count;
}

void ContextLines::make_contexts() {
  auto end = static_cast<u32>(nodes_.size());
  std::vector<u32> unsampled;  // of each part: the number of the first one
  for (const auto& part : parts_)
    unsampled.push_back(std::exchange(end, end + static_cast<u32>(part.unsampled.size())));
  samples_.contexts.resize(end);
  enter_contexts();
  parallel_for(parts_.size(), options_.threads,
               [&](size_t part, unsigned) { add_part(parts_[part], unsampled[part]); });
  return_free_memory();
}

// Those that were called.
void ContextLines::enter_contexts() {
  auto nodes = std::exchange(nodes_, {});
  auto called = std::exchange(called_, {});
  auto calls = std::exchange(calls_, {});
  parallel_each(nodes.size(), at_once, options_.threads, [&](size_t id, unsigned) {
    const auto& [parent, call_site, function] = nodes[id];
    auto& context = samples_.contexts[id];
    context = {static_cast<u32>(parent), function, call_site};
    if (called[id]) enter(context, calls[id]);
  });
}

// `next`: the number of the first context that nobody was sampled in.
void ContextLines::add_part(Part& part, u32 next) {
  auto& contexts = samples_.contexts;
  auto facts = std::exchange(part.facts, {});
  for (size_t i = 0; i < facts.size(); ++i) {
    auto& context = contexts[part.sampled[i].context];
    context.flags |= ContextSamples::has_samples;
    if (facts[i].leaf_inlined) context.flags |= ContextSamples::was_inlined;
    context.total = facts[i].total;
    if (context.flags & ContextSamples::entered) continue;
    context.first_location = facts[i].first.location;
    context.entries = facts[i].first.count;
  }
  for (const auto& [caller, call_site, callee, count] : std::exchange(part.unsampled, {})) {
    contexts[next] = {caller, callee, call_site};
    enter(contexts[next++], count);
  }
}

// Inlined copies are entered without a branch, so that nothing at their call site tells of it.
bool is_entered_silently(const ContextSamples::Context& context) {
  return (context.flags & (ContextSamples::has_samples | ContextSamples::entered)) ==
             ContextSamples::has_samples &&
         context.parent != ContextSamples::root;
}

// An estimate, by their own samples.
u64 silent_entries(const ContextSamples::Context& context) {
  if (context.entries) return context.entries;
  return context.total > 0 || context.first_location == ContextSamples::none;
}

// Innermost first, for estimates count as samples of the caller.
void ContextLines::infer_inlined_calls() {
  for (auto id = static_cast<u32>(samples_.size()); id-- > 1;)
    if (is_entered_silently(samples_.contexts[id])) add_inferred_call(samples_.contexts[id]);
}

void ContextLines::add_inferred_call(const ContextSamples::Context& callee) {
  u64 calls = silent_entries(callee);
  u32 location = samples_.locations.intern(callee.site);
  auto& caller = samples_.contexts[callee.parent];
  caller.flags |= ContextSamples::has_samples;
  caller.total = add_saturated(caller.total, calls);
  if (caller.flags & ContextSamples::entered) return;
  auto& first = caller.first_location;
  if (first == location) {
    caller.entries = add_saturated(caller.entries, calls);
  } else if (first == ContextSamples::none || callee.site < samples_.locations[first]) {
    first = location;
    caller.entries = calls;
  }
}

// Not kept in a list: all cores find them again.
template <class Each>
void ContextLines::for_each_inferred_call(const Each& each) const {
  parallel_each(samples_.size(), at_once, options_.threads, [&](size_t id, unsigned) {
    const auto& context = samples_.contexts[id];
    if (id != ContextSamples::root && is_entered_silently(context)) each(context);
  });
}

void ContextLines::collect_rows() {
  collect(samples_.rows, &Part::rows, &Part::Sampled::rows_end,
          [&](const ContextSamples::Context& callee) {
            return LeafCounts::Row{samples_.locations.find(callee.site), silent_entries(callee)};
          });
  collect(samples_.targets, &Part::targets, &Part::Sampled::targets_end,
          [&](const ContextSamples::Context& callee) {
            return LeafCounts::Target{samples_.locations.find(callee.site), callee.function,
                                      silent_entries(callee)};
          });
  free_memory_of(parts_);
}

// What the parts had is gone behind it.
template <class Record, class Inferred>
void ContextLines::collect(ContextRows<Record>& into, std::vector<Record> Part::* records,
                           u32 Part::Sampled::* end, const Inferred& inferred) {
  into = ContextRows<Record>(samples_.size());
  for_each_part([&](const Part& part) {
    u32 begin = 0;
    for (const auto& one : part.sampled)
      into.expect(one.context, one.*end - std::exchange(begin, one.*end));
  });
  for_each_inferred_call([&](const auto& callee) { into.expect(callee.parent, 1); });
  into.allocate();
  for_each_part([&](Part& part) {
    auto own = std::exchange(part.*records, {});
    u32 begin = 0;
    for (const auto& one : part.sampled) {
      into.put(one.context, std::span(own).subspan(begin, one.*end - begin));
      begin = one.*end;
    }
  });
  for_each_inferred_call([&](const auto& callee) { into.put(callee.parent, inferred(callee)); });
  return_free_memory();
}

}  // namespace

ContextSamples context_lines(const program::Program& program, unwind::ContextCounts counts,
                             const ContextProfileOptions& options) {
  return ContextLines(program, std::move(counts), options).make();
}

}  // namespace pgokit::generate
