#include <algorithm>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "unwind/by_context.h"
#include "unwind/frame_stack.h"
#include "unwind/scopes.h"

namespace pgokit::unwind {
namespace {

using profile::ContextId;

// What some of the nodes give.
struct Part {
  ContextCounts counts{ContextCounts::Kind::lines};
  std::vector<u32> order;  // by entry of the counts: of its first sample
  unsigned worker = 0;     // whose names the contexts have
};

// Counts one part after the other.
class FrameCounter {
 public:
  FrameCounter(const Unwound& unwound, const binary::Program& program, const FrameRules& rules)
      : unwound_(unwound),
        scopes_(program, names_),
        stack_(scopes_, rules),
        pieces_of_(unwound.ranges.size()) {}

  // The nodes from `first` to `end`.
  Part count(u32 first, u32 end) {
    part_ = {};
    stack_.start(part_.counts.contexts);
    auto ancestors = ancestors_of(first);  // of the node in hand, on the stack
    for (u32 node : ancestors)
      if (node != PathTable::root) stack_.push(unwound_.nodes[node].call);
    SortedLog::Cursor range(unwound_.range_log, first), branch(unwound_.branch_log, first);
    for (u32 node = first; node < end; ++node) {
      while (!ancestors.empty() && ancestors.back() != unwound_.nodes[node].parent)
        ancestors.pop_back();
      if (node != PathTable::root) {
        stack_.pop_to(ancestors.size() - 1);
        stack_.push(unwound_.nodes[node].call);
      }
      ancestors.push_back(node);
      add_node(node, range, branch);
    }
    return std::move(part_);
  }

  const profile::NameTable& names() const { return names_; }

 private:
  struct ScopedRange {
    u32 place, order;  // of the scope among those of the node
    Range range;
  };
  struct ScopedBranch {
    u32 place, order;
    Branch branch;
  };
  struct PieceSpan {
    u32 first = 0, count = 0;  // none: not divided yet
  };

  std::vector<u32> ancestors_of(u32 node) const {
    std::vector<u32> ancestors;
    while (node != PathTable::root) ancestors.push_back(node = unwound_.nodes[node].parent);
    std::ranges::reverse(ancestors);
    return ancestors;
  }

  void add_node(u32 node, SortedLog::Cursor& range, SortedLog::Cursor& branch) {
    ranges_.clear();
    branches_.clear();
    scopes_here_.clear();
    for (; range.at(node); range.next())
      for (const auto& piece : pieces_of(range.thing()))
        ranges_.push_back(
            {place_of(piece.scope), range.order(), {piece.first, piece.last, range.count()}});
    for (; branch.at(node); branch.next()) {
      u64 pair = unwound_.branches[branch.thing()];
      auto from = CodeIndex(first_of(pair)), to = CodeIndex(second_of(pair));
      u32 scope = from == binary::no_code ? Scopes::unknown : scopes_.scope_at(from);
      branches_.push_back({place_of(scope), branch.order(), {from, to, branch.count()}});
    }
    if (ranges_.size() > 1) std::ranges::stable_sort(ranges_, {}, &ScopedRange::place);
    if (branches_.size() > 1) std::ranges::stable_sort(branches_, {}, &ScopedBranch::place);
    add_scopes();
  }

  // In order of first sight, which unlike their numbers is the same in all threads.
  u32 place_of(u32 scope) {
    if (scope >= place_of_scope_.size()) place_of_scope_.resize(scope + 1);
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
      u32 scope = scopes_here_[place], order = ~u32{0};
      part_.counts.begin(stack_.context(scope), !scopes_.scope(scope).callers.empty());
      for (; range != ranges_.end() && range->place == place; ++range) {
        part_.counts.add_range(range->range);
        order = std::min(order, range->order);
      }
      for (; branch != branches_.end() && branch->place == place; ++branch) {
        part_.counts.add_branch(branch->branch);
        order = std::min(order, branch->order);
      }
      part_.order.push_back(order);
    }
  }

  std::span<const Scopes::Piece> pieces_of(u32 range) {
    auto& span = pieces_of_[range];
    if (span.count == 0) {
      u64 pair = unwound_.ranges[range];
      span.first = static_cast<u32>(pieces_.size());
      scopes_.split(CodeIndex(first_of(pair)), CodeIndex(second_of(pair)), pieces_);
      span.count = static_cast<u32>(pieces_.size()) - span.first;
    }
    return std::span(pieces_).subspan(span.first, span.count);
  }

  const Unwound& unwound_;
  profile::NameTable names_;
  Scopes scopes_;
  FrameStack stack_;
  std::vector<PieceSpan> pieces_of_;  // by range
  std::vector<Scopes::Piece> pieces_;
  Part part_;
  std::vector<ScopedRange> ranges_;
  std::vector<ScopedBranch> branches_;
  std::vector<u32> scopes_here_;     // of the node in hand
  std::vector<u32> place_of_scope_;  // where each would be there
};

// The parts put together in their order, which is that of the first sight of contexts and names.
class Whole {
 public:
  explicit Whole(size_t workers) : renamed_(workers) {}

  void add(const Part& part, const profile::NameTable& names) {
    const auto& from = part.counts;
    std::vector<ContextId> renumbered(from.contexts.end());  // a parent stands before its children
    for (u32 i = 1; i < renumbered.size(); ++i) {
      const auto& node = from.contexts.node(ContextId{i});
      renumbered[i] =
          counts_.contexts.child(renumbered[static_cast<size_t>(node.parent)], node.call_site,
                                 rename(names, node.function, renamed_[part.worker]));
    }
    seen_first_.resize(counts_.contexts.end());
    for (size_t i = 0; i < from.size(); ++i) {
      auto context = renumbered[static_cast<size_t>(from.context(i))];
      counts_.begin(context, from.leaf_inlined(i));
      for (const auto& range : from.ranges(i)) counts_.add_range(range);
      for (const auto& branch : from.branches(i)) counts_.add_branch(branch);
      auto& first = seen_first_[static_cast<u32>(context)];
      if (part.order[i] < first.order) first = {part.order[i], from.leaf_inlined(i)};
    }
  }

  // A function can be called and inlined in the same context (in several copies of the caller). In
  // llvm-profgen the first sample decides which it is said to be.
  ContextCounts finish() && {
    for (size_t i = 0; i < counts_.size(); ++i)
      counts_.set_leaf_inlined(i, seen_first_[static_cast<u32>(counts_.context(i))].inlined);
    counts_.normalize();
    return std::move(counts_);
  }

 private:
  static constexpr NameId unknown{~u32{0}};
  struct FirstSeen {
    u32 order = ~u32{0};
    bool inlined = false;
  };

  NameId rename(const profile::NameTable& names, NameId name, std::vector<NameId>& known) {
    if (known.size() < names.size()) known.resize(names.size(), unknown);
    auto& renamed = known[static_cast<size_t>(name)];
    if (renamed == unknown) renamed = counts_.names.intern_from(names, name);
    return renamed;
  }

  ContextCounts counts_{ContextCounts::Kind::lines};
  std::vector<std::vector<NameId>> renamed_;  // by worker
  std::vector<FirstSeen> seen_first_;         // by context
};

}  // namespace

ContextCounts counts_by_frames(Unwound unwound, const binary::Program& program,
                               const FrameRules& rules, unsigned threads) {
  constexpr size_t at_once = 8192;
  size_t nodes = unwound.nodes.size();
  std::vector<Part> parts((nodes + at_once - 1) / at_once);
  std::vector<std::unique_ptr<FrameCounter>> workers(worker_count(threads));
  parallel_for(parts.size(), threads, [&](size_t part, unsigned worker) {
    auto& counter = workers[worker];
    if (!counter) counter = std::make_unique<FrameCounter>(unwound, program, rules);
    auto end = static_cast<u32>(std::min(nodes, (part + 1) * at_once));
    parts[part] = counter->count(static_cast<u32>(part * at_once), end);
    parts[part].worker = worker;
  });
  unwound = {};
  Whole whole(workers.size());
  for (auto& part : parts) {
    whole.add(part, workers[part.worker]->names());
    part = {};
  }
  return std::move(whole).finish();
}

}  // namespace pgokit::unwind
