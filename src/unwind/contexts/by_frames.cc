#include <algorithm>
#include <memory>

#include "base/parallel.h"
#include "unwind/by_context.h"
#include "unwind/contexts/code_frames.h"
#include "unwind/contexts/context_parts.h"
#include "unwind/contexts/frame_stack.h"
#include "unwind/node_counts.h"

namespace pgokit::unwind {
namespace {

// Counts one part after the other.
class FrameCounter {
 public:
  FrameCounter(const Unwound& unwound, const CodeFrames& code, const ContextPolicy& policy)
      : unwound_(unwound), code_(code), stack_(code, policy), place_of_scope_(code.scopes()) {}

  // The nodes from `first` to `end`.
  ContextPart count(u32 first, u32 end) {
    counts_.clear();
    profile::Contexts contexts;
    stack_.start(contexts);
    auto ancestors = ancestors_of(first);  // of the node in hand, on the stack
    for (u32 node : ancestors)
      if (node != PathTable::root) stack_.push(unwound_.nodes[node].call);
    NodeCounts counts(unwound_, first);
    constexpr u32 ahead = 8;
    for (u32 node = first; node < end; ++node) {
      if (node + ahead < end) code_.prefetch_call(unwound_.nodes[node + ahead].call);
      while (!ancestors.empty() && ancestors.back() != unwound_.nodes[node].parent)
        ancestors.pop_back();
      if (node != PathTable::root) {
        stack_.pop_to(ancestors.size() - 1);
        stack_.push(unwound_.nodes[node].call);
      }
      ancestors.push_back(node);
      add_node(node, counts);
    }
    sum_by_context(counts_, sums_);
    return {std::move(contexts).take_nodes(), sums_};  // in no more memory than they need
  }

 private:
  struct ScopedRange {
    u32 place, order;  // of the scope among those of the node
    Range range;
  };
  struct ScopedBranch {
    u32 place, order;
    Branch branch;
  };

  std::vector<u32> ancestors_of(u32 node) const {
    std::vector<u32> ancestors;
    while (node != PathTable::root) ancestors.push_back(node = unwound_.nodes[node].parent);
    std::ranges::reverse(ancestors);
    return ancestors;
  }

  void add_node(u32 node, NodeCounts& counts) {
    auto prefetch_places = [&](const auto& step) {
      if (step.range != Unwound::none) code_.prefetch_range(step.range);
      if (step.branch == Unwound::none) return;
      code_.prefetch_branch(step.branch);
      __builtin_prefetch(&unwound_.branches[step.branch]);
    };
    auto prefetch_pieces = [&](const auto& step) {
      if (step.range != Unwound::none) code_.prefetch_pieces(step.range);
    };
    if (!counts.read(node, prefetch_places, prefetch_pieces)) return;
    ranges_.clear();
    branches_.clear();
    scopes_here_.clear();
    for (const auto& [range, order, count] : counts.ranges())
      for (const auto& piece : code_.pieces(range))
        ranges_.push_back({place_of(piece.scope), order, {piece.first, piece.last, count}});
    for (const auto& [branch, order, count] : counts.branches()) {
      u64 pair = unwound_.branches[branch];
      branches_.push_back({place_of(code_.scope_of_branch(branch)),
                           order,
                           {CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), count}});
    }
    sort_by_place(ranges_);
    sort_by_place(branches_);
    add_scopes();
  }

  // Mostly they are in order.
  template <class Scoped>
  static void sort_by_place(std::vector<Scoped>& all) {
    if (!std::ranges::is_sorted(all, {}, &Scoped::place))
      std::ranges::stable_sort(all, {}, &Scoped::place);
  }

  // In order of first sight.
  u32 place_of(u32 scope) {
    u32& place = place_of_scope_[scope];
    if (place >= scopes_here_.size() || scopes_here_[place] != scope) {
      place = static_cast<u32>(scopes_here_.size());
      scopes_here_.push_back(scope);
    }
    return place;
  }

  void add_scopes() {
    auto range = ranges_.begin();
    auto branch = branches_.begin();
    for (u32 place = 0; place < scopes_here_.size(); ++place) {
      u32 scope = scopes_here_[place];
      auto& entry = counts_.begin(static_cast<u32>(stack_.context(scope)));
      entry.leaf_inlined = code_.scope(scope).callers > 0;
      for (; range != ranges_.end() && range->place == place; ++range) {
        counts_.columns.ranges.push_back(range->range);
        entry.order = std::min(entry.order, range->order);
      }
      for (; branch != branches_.end() && branch->place == place; ++branch) {
        counts_.columns.branches.push_back(branch->branch);
        entry.order = std::min(entry.order, branch->order);
      }
      counts_.end();
    }
  }

  const Unwound& unwound_;
  const CodeFrames& code_;
  FrameStack<const CodeFrames> stack_;
  PartCounts counts_, sums_;  // of the part in hand
  std::vector<ScopedRange> ranges_;
  std::vector<ScopedBranch> branches_;
  std::vector<u32> scopes_here_;     // of the node in hand
  std::vector<u32> place_of_scope_;  // where each would be there
};

}  // namespace

ContextCounts counts_by_frames(Unwound unwound, const program::Program& program,
                               const ContextPolicy& policy, unsigned threads) {
  CodeFrames code(unwound, program, threads);
  Chunks nodes{unwound.nodes.size(), 4096};
  std::vector<ContextPart> parts(nodes.count());
  std::vector<std::unique_ptr<FrameCounter>> workers(worker_count(threads));
  parallel_for(parts.size(), threads, [&](size_t part, unsigned worker) {
    auto& counter = workers[worker];
    if (!counter) counter = std::make_unique<FrameCounter>(unwound, code, policy);
    parts[part] =
        counter->count(static_cast<u32>(nodes.begin(part)), static_cast<u32>(nodes.end(part)));
  });
  workers.clear();
  std::vector<Range> ranges;
  for (const auto& piece : code.pieces()) ranges.push_back({piece.first, piece.last});
  auto branches = touched_branches(unwound);
  unwound = {};
  auto counts = join(std::move(parts), threads);
  counts.remember_touched(std::move(ranges), std::move(branches));
  counts.names = std::move(code.names);
  return counts;
}

}  // namespace pgokit::unwind
