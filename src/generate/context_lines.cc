#include "generate/context_lines.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "generate/leaf_counts.h"

namespace pgokit::generate {
namespace {

using profile::add_saturated;
using profile::ContextId;
using profile::LineLocation;

// What some of the contexts give.
struct Part {
  // A context with samples; its rows and targets begin where those of the one before end.
  struct Sampled {
    u32 context;
    u32 rows_end, targets_end;
    bool leaf_inlined;
    LeafCounts::FirstPlace first;
    u64 total;
  };
  // A callee whose context nobody was sampled in.
  struct Unsampled {
    ContextId caller;
    LineLocation call_site;
    NameId callee;
    u64 count;
  };
  std::vector<Sampled> sampled;
  std::vector<LeafCounts::Row> rows;
  std::vector<LeafCounts::Target> targets;
  std::vector<Unsampled> unsampled;
};

// An inlined copy was entered from here that often, as far as its own samples tell.
struct InferredCall {
  u32 caller, location;
  NameId callee;
  u64 count;
};

class ContextLines {
 public:
  ContextLines(const binary::Program& program, unwind::ContextCounts counts,
               const ContextProfileOptions& options)
      : program_(program), counts_(std::move(counts)), options_(options) {}

  ContextSamples make() && {
    samples_.names = std::move(counts_.names);
    count_parts();
    add_callees();
    make_contexts();
    infer_inlined_calls();
    collect_rows();
    samples_.finish(options_.threads);
    return std::move(samples_);
  }

 private:
  void count_parts();
  void count_part(LeafCounts& leaf, size_t begin, size_t end, Part& part);
  void add_callees();
  void make_contexts();
  void infer_inlined_calls();
  void add_inferred_call(u32 id);
  void collect_rows();
  template <class Each>
  void for_each_part(const Each& each) {
    parallel_for(parts_.size(), options_.threads, [&](size_t i, unsigned) { each(parts_[i]); });
  }

  const binary::Program& program_;
  unwind::ContextCounts counts_;
  const ContextProfileOptions& options_;
  ContextSamples samples_;
  std::vector<Part> parts_;
  // By context: whether it was called, and how often.
  std::vector<u8> called_;
  std::vector<u64> calls_;
  std::vector<InferredCall> inferred_;
};

void ContextLines::count_parts() {
  constexpr size_t at_once = 4096;
  LeafLines lines(program_, counts_.all_ranges(), counts_.all_branches(), samples_.locations,
                  options_.threads);
  KnownCallees callees(program_, CalleeNames(program_.functions(), samples_.names),
                       counts_.all_branches());
  called_.resize(counts_.contexts.end());
  calls_.resize(counts_.contexts.end());
  // Contexts make the table that find() looks into when they are asked for a child.
  if (counts_.contexts.end() > 1) {
    auto [parent, call_site, function] = counts_.contexts.node(ContextId{1});
    counts_.contexts.child(parent, call_site, function);
  }
  parts_.resize((counts_.size() + at_once - 1) / at_once);
  std::vector<std::unique_ptr<LeafCounts>> workers(worker_count(options_.threads));
  parallel_for(parts_.size(), options_.threads, [&](size_t part, unsigned worker) {
    auto& leaf = workers[worker];
    if (!leaf) leaf = std::make_unique<LeafCounts>(program_, lines, callees, samples_.locations);
    count_part(*leaf, part * at_once, std::min(counts_.size(), (part + 1) * at_once), parts_[part]);
  });
}

// All calls of a context come from one other, so that no two threads write about the same.
void ContextLines::count_part(LeafCounts& leaf, size_t begin, size_t end, Part& part) {
  for (size_t i = begin; i < end; ++i) {
    ContextId context = counts_.context(i);
    if (context == ContextId::none) {
      leaf.count_entries(counts_.branches(i));
    } else {
      leaf.count(counts_.ranges(i), counts_.branches(i));
      part.rows.insert(part.rows.end(), leaf.rows().begin(), leaf.rows().end());
      part.targets.insert(part.targets.end(), leaf.targets().begin(), leaf.targets().end());
      u64 total = options_.update_totals ? leaf.sum_of_lines() : leaf.total();
      part.sampled.push_back({static_cast<u32>(context), static_cast<u32>(part.rows.size()),
                              static_cast<u32>(part.targets.size()), counts_.leaf_inlined(i),
                              leaf.first(), total});
    }
    for (const auto& [call_site, callee, count] : leaf.entries()) {
      auto known = context == ContextId::none ? ContextId::none
                                              : counts_.contexts.find(context, call_site, callee);
      if (known == ContextId::none) {
        part.unsampled.push_back({context, call_site, callee, count});
      } else {
        called_[static_cast<u32>(known)] = true;
        calls_[static_cast<u32>(known)] = count;
      }
    }
  }
}

// Contexts get numbers behind those of their callers.
void ContextLines::add_callees() {
  size_t more = 0;
  for (auto& part : parts_) {
    for (const auto& [caller, call_site, callee, count] : part.unsampled) {
      if (caller != ContextId::none) continue;
      auto top = static_cast<size_t>(counts_.contexts.top(callee));
      if (top >= calls_.size()) calls_.resize(top + 1), called_.resize(top + 1);
      called_[top] = true;
      calls_[top] = add_saturated(calls_[top], count);
    }
    std::erase_if(part.unsampled, [](const auto& one) { return one.caller == ContextId::none; });
    more += part.unsampled.size();
  }
  samples_.contexts.reserve(counts_.contexts.end() + more);
}

void ContextLines::make_contexts() {
  auto& contexts = samples_.contexts;
  contexts.resize(counts_.contexts.end());
  for (u32 id = 1; id < contexts.size(); ++id) {
    const auto& node = counts_.contexts.node(ContextId{id});
    contexts[id] = {static_cast<u32>(node.parent), node.function, node.call_site};
  }
  auto enter = [](ContextSamples::Context& context, u64 count) {
    context.flags |= ContextSamples::has_samples;
    if (count) context.flags |= ContextSamples::entered;
    context.entries = count;
  };
  counts_ = unwind::ContextCounts(unwind::ContextCounts::Kind::lines);
  for (u32 id = 1; id < contexts.size(); ++id)
    if (called_[id]) enter(contexts[id], calls_[id]);
  for_each_part([&](const Part& part) {
    for (const auto& one : part.sampled) {
      auto& context = contexts[one.context];
      context.flags |= ContextSamples::has_samples;
      if (one.leaf_inlined) context.flags |= ContextSamples::was_inlined;
      context.total = one.total;
      if (context.flags & ContextSamples::entered) continue;
      context.first_location = one.first.location;
      context.entries = one.first.count;
    }
  });
  for (auto& part : parts_)
    for (const auto& [caller, call_site, callee, count] : std::exchange(part.unsampled, {}))
      enter(contexts.emplace_back(static_cast<u32>(caller), callee, call_site), count);
  called_ = {};
  calls_ = {};
}

// Inlined copies are entered without a branch, so that nothing at their call site tells of it: it
// is estimated by their own samples. Innermost first, for estimates count as samples of the caller.
void ContextLines::infer_inlined_calls() {
  for (auto id = static_cast<u32>(samples_.size()); id-- > 1;) {
    const auto& context = samples_.contexts[id];
    bool is_inlined = (context.flags & (ContextSamples::has_samples | ContextSamples::entered)) ==
                      ContextSamples::has_samples;
    if (is_inlined && context.parent != ContextSamples::root) add_inferred_call(id);
  }
}

void ContextLines::add_inferred_call(u32 id) {
  const auto& callee = samples_.contexts[id];
  u64 calls = callee.entries;
  if (calls == 0) calls = callee.total > 0 || callee.first_location == ContextSamples::none;
  u32 location = samples_.locations.intern(callee.site);
  inferred_.push_back({callee.parent, location, callee.function, calls});
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

void ContextLines::collect_rows() {
  auto& rows = samples_.rows = ByContext<ContextSamples::Row>(samples_.size());
  auto& targets = samples_.targets = ByContext<ContextSamples::Target>(samples_.size());
  auto for_each_sampled = [](const Part& part, const auto& each) {
    u32 row = 0, target = 0;
    for (const auto& one : part.sampled) {
      each(one.context, std::span(part.rows).subspan(row, one.rows_end - row),
           std::span(part.targets).subspan(target, one.targets_end - target));
      row = one.rows_end;
      target = one.targets_end;
    }
  };
  for_each_part([&](const Part& part) {
    for_each_sampled(part, [&](u32 context, auto its_rows, auto its_targets) {
      rows.expect(context, static_cast<u32>(its_rows.size()));
      targets.expect(context, static_cast<u32>(its_targets.size()));
    });
  });
  for (const auto& call : inferred_) rows.expect(call.caller, 1), targets.expect(call.caller, 1);
  rows.allocate();
  targets.allocate();
  for_each_part([&](Part& part) {
    for_each_sampled(part, [&](u32 context, auto its_rows, auto its_targets) {
      rows.put(context, its_rows);
      targets.put(context, its_targets);
    });
    part = {};
  });
  for (const auto& [caller, location, callee, count] : inferred_) {
    rows.put(caller, {location, count});
    targets.put(caller, {location, callee, count});
  }
}

}  // namespace

ContextSamples context_lines(const binary::Program& program, unwind::ContextCounts counts,
                             const ContextProfileOptions& options) {
  return ContextLines(program, std::move(counts), options).make();
}

}  // namespace pgokit::generate
