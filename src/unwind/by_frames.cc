#include <algorithm>

#include "unwind/by_context.h"
#include "unwind/scopes.h"

namespace pgokit::unwind {
namespace {

using profile::ContextId;

// The frames of the node in hand, from the outermost caller to the innermost call.
class FrameStack {
 public:
  FrameStack(Scopes& scopes, profile::Contexts& contexts, const FrameRules& rules)
      : scopes_(scopes), contexts_(contexts), rules_(rules) {}

  size_t depth() const { return calls_.size(); }
  void pop_to(size_t depth) {
    while (calls_.size() > depth) {
      size_t frames = calls_.back().first_frame;
      frames_.resize(frames);
      calls_.pop_back();
    }
  }
  void push(Place call) {
    bool known = calls_.empty() || calls_.back().known;
    calls_.push_back({frames_.size(), known});
    const auto* added = call == no_call ? nullptr : &scopes_.frames_at(CodeIndex(call));
    if (!added || added->empty()) return void(calls_.back().known = false);
    frames_.insert(frames_.end(), added->begin(), added->end());
  }

  // The context of code in `scope`.
  ContextId context(u32 scope) {
    if (scope == Scopes::unknown || !(calls_.empty() || calls_.back().known))
      return ContextId::none;
    const auto& leaf = scopes_.scope(scope);
    callers_ = frames_;
    callers_.insert(callers_.end(), leaf.callers.begin(), leaf.callers.end());
    compress_recursion(callers_, rules_.longest_recursion);
    if (callers_.size() > rules_.max_depth)
      callers_.erase(callers_.begin(), callers_.end() - rules_.max_depth);
    ContextId context = ContextId::none;
    profile::LineLocation location;
    for (u32 id : callers_) {
      const auto& frame = scopes_.frame(id);
      context = contexts_.child(context, location, frame.function);
      location = frame.location;
    }
    return contexts_.child(context, location, leaf.function);
  }

 private:
  struct Call {
    size_t first_frame = 0;
    bool known = true;  // it and all callers have debug information
  };

  Scopes& scopes_;
  profile::Contexts& contexts_;
  const FrameRules& rules_;
  std::vector<Call> calls_;
  std::vector<u32> frames_, callers_;
};

class FrameCounter {
 public:
  FrameCounter(Unwound unwound, const binary::Program& program, const FrameRules& rules)
      : unwound_(std::move(unwound)),
        counts_(ContextCounts::Kind::lines),
        scopes_(program, counts_.names),
        stack_(scopes_, counts_.contexts, rules),
        pieces_of_(unwound_.ranges.size()) {}

  ContextCounts count() {
    std::vector<u32> ancestors;  // of the node in hand, on the stack
    SortedLog::Cursor range(unwound_.range_log), branch(unwound_.branch_log);
    for (u32 node = 0; node < unwound_.nodes.size(); ++node) {
      while (!ancestors.empty() && ancestors.back() != unwound_.nodes[node].parent)
        ancestors.pop_back();
      if (node != PathTable::root) {
        stack_.pop_to(ancestors.size() - 1);
        stack_.push(unwound_.nodes[node].call);
      }
      ancestors.push_back(node);
      add_node(node, range, branch);
    }
    decide_inlining();
    counts_.normalize();
    return std::move(counts_);
  }

 private:
  struct ScopedRange {
    u32 scope, order;
    Range range;
  };
  struct ScopedBranch {
    u32 scope, order;
    Branch branch;
  };
  struct FirstSeen {
    u32 order = ~u32{0};
    bool inlined = false;
  };
  struct PieceSpan {
    u32 first = 0, count = 0;  // none: not divided yet
  };

  void add_node(u32 node, SortedLog::Cursor& range, SortedLog::Cursor& branch) {
    ranges_.clear();
    branches_.clear();
    for (; range.at(node); range.next())
      for (const auto& piece : pieces_of(range.thing()))
        ranges_.push_back({piece.scope, range.order(), {piece.first, piece.last, range.count()}});
    for (; branch.at(node); branch.next()) {
      u64 pair = unwound_.branches[branch.thing()];
      auto from = CodeIndex(first_of(pair)), to = CodeIndex(second_of(pair));
      u32 scope = from == binary::no_code ? Scopes::unknown : scopes_.scope_at(from);
      branches_.push_back({scope, branch.order(), {from, to, branch.count()}});
    }
    std::ranges::stable_sort(ranges_, {}, &ScopedRange::scope);
    std::ranges::stable_sort(branches_, {}, &ScopedBranch::scope);
    add_scopes();
  }

  void add_scopes() {
    auto range = ranges_.begin();
    auto branch = branches_.begin();
    while (range != ranges_.end() || branch != branches_.end()) {
      u32 scope = ~u32{0}, order = ~u32{0};
      if (range != ranges_.end()) scope = range->scope;
      if (branch != branches_.end()) scope = std::min(scope, branch->scope);
      auto context = stack_.context(scope);
      bool inlined = !scopes_.scope(scope).callers.empty();
      counts_.begin(context, inlined);
      for (; range != ranges_.end() && range->scope == scope; ++range) {
        counts_.add_range(range->range);
        order = std::min(order, range->order);
      }
      for (; branch != branches_.end() && branch->scope == scope; ++branch) {
        counts_.add_branch(branch->branch);
        order = std::min(order, branch->order);
      }
      note_inlining(context, inlined, order);
    }
  }

  // A function can be called and inlined in the same context (in several copies of the caller). In
  // llvm-profgen the first sample decides which it is said to be.
  void note_inlining(ContextId context, bool inlined, u32 order) {
    auto id = static_cast<u32>(context);
    if (id >= seen_first_.size()) seen_first_.resize(counts_.contexts.end());
    auto& first = seen_first_[id];
    if (order < first.order) first = {order, inlined};
  }

  void decide_inlining() {
    for (size_t i = 0; i < counts_.size(); ++i)
      counts_.set_leaf_inlined(i, seen_first_[static_cast<u32>(counts_.context(i))].inlined);
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

  Unwound unwound_;
  ContextCounts counts_;
  Scopes scopes_;
  FrameStack stack_;
  std::vector<PieceSpan> pieces_of_;  // by range
  std::vector<Scopes::Piece> pieces_;
  std::vector<FirstSeen> seen_first_;  // by context
  std::vector<ScopedRange> ranges_;
  std::vector<ScopedBranch> branches_;
};

}  // namespace

ContextCounts counts_by_frames(Unwound unwound, const binary::Program& program,
                               const FrameRules& rules) {
  return FrameCounter(std::move(unwound), program, rules).count();
}

}  // namespace pgokit::unwind
