#include "generate/context/probes/probe_contexts.h"

#include "unwind/recursion.h"

namespace pgokit::generate {
namespace {

using profile::ContextId;
using program::CodeIndex;
using unwind::CallPath;

}  // namespace

ProbeContexts::ProbeContexts(const probe::Decoded& decoded, const ProbeCode& code,
                             std::span<const NameId> names, const unwind::CallPaths& paths,
                             const MissingFrames* missing, const ContextProfileOptions& options)
    : decoded_(decoded),
      code_(code),
      names_(names),
      paths_(paths),
      missing_(missing),
      options_(options),
      of_inlined_(decoded.nodes().size()) {}

class ProbeContexts::Chain {
 public:
  Chain(ProbeContexts& owner, Callers callers) : owner_(owner), callers_(callers) {}

  void clear() { callers_ = {}; }
  void add(NameId function, u32 call_site) {
    callers_.context = owner_.contexts_->child(callers_.context, {callers_.call_site, 0}, function);
    callers_.call_site = call_site;
    callers_.repetitive =
        callers_.repetitive || (owner_.may_repeat(callers_.context, call_site) &&
                                owner_.ends_repetitive(callers_.context, call_site));
  }
  const Callers& callers() const { return callers_; }

 private:
  ProbeContexts& owner_;
  Callers callers_;
};

class ProbeContexts::List {
 public:
  explicit List(std::vector<Frame>& frames) : frames_(frames) { frames_.clear(); }

  void clear() { frames_.clear(); }
  void add(NameId function, u32 call_site) { frames_.push_back({function, call_site}); }

 private:
  std::vector<Frame>& frames_;
};

ContextId ProbeContexts::of(CallPath path, u32 function, u32 node) {
  if (!is_named(node)) return ContextId::none;
  auto callers = callers_of(path, function, node);
  if (callers.repetitive || options_.policy.max_depth >= 0) return compressed(path, function, node);
  return contexts_->child(callers.context, {callers.call_site, 0}, names_[node]);
}

// Until the next path is asked for.
ProbeContexts::Callers& ProbeContexts::remembered(CallPath path) {
  constexpr u32 near = 1 << 16;
  u32 at = static_cast<u32>(path) - static_cast<u32>(first_path_);
  if (at >= near) return far_[static_cast<u32>(path)];
  if (at >= near_.size()) near_.resize(2 * size_t{at} + 1);
  return near_[at];
}

// The frames of the calls of a path.
ProbeContexts::Callers ProbeContexts::callers_of(CallPath path) {
  unknown_.clear();
  auto is_known = [&](CallPath one) {
    return one == CallPath::empty || remembered(one).round == round_;
  };
  for (; !is_known(path); path = paths_.parent(path)) unknown_.push_back(path);
  Callers callers = path == CallPath::empty ? Callers{} : remembered(path);
  for (; !unknown_.empty(); unknown_.pop_back()) {
    const auto* call = call_at(paths_.call(unknown_.back()));
    Chain chain(*this, callers);
    if (call) add_tail_calls(chain, paths_.parent(unknown_.back()), call->function);
    add_call(chain, call);
    callers = chain.callers();
    callers.round = round_;
    remembered(unknown_.back()) = callers;
  }
  return callers;
}

// The same, down to what is inlined: nodes of one path have most of it in common.
ProbeContexts::Callers ProbeContexts::callers_of(CallPath path, u32 function, u32 node) {
  if (path != path_of_inlined_ || function != function_of_inlined_) {
    path_of_inlined_ = path;
    function_of_inlined_ = function;
    ++inlined_round_;
  }
  const auto& nodes = decoded_.nodes();
  inlinees_.clear();
  while (of_inlined_[node].round != inlined_round_ && nodes[node].is_inlined()) {
    inlinees_.push_back(node);
    node = nodes[node].parent;
  }
  if (of_inlined_[node].round != inlined_round_) {
    Chain chain(*this, callers_of(path));
    add_tail_calls(chain, path, function);
    of_inlined_[node] = {inlined_round_, chain.callers()};
  }
  for (; !inlinees_.empty(); inlinees_.pop_back()) {
    Chain chain(*this, of_inlined_[node].callers);
    node = inlinees_.back();
    add_inliner(chain, nodes[node]);
    of_inlined_[node] = {inlined_round_, chain.callers()};
  }
  return of_inlined_[node].callers;
}

// Down from the last call of a path to a function: by what tail calls?
template <class Sink>
void ProbeContexts::add_tail_calls(Sink& sink, CallPath path, u32 function) {
  if (!missing_ || path == CallPath::empty) return;
  for (CodeIndex tail_call : missing_->between(paths_.call(path), function))
    add_call(sink, call_at(tail_call));
}

template <class Sink>
void ProbeContexts::add_call(Sink& sink, const ProbeCode::Call* call) {
  if (!call || !is_named(call->node)) return sink.clear();
  add_inliners(sink, call->node);
  sink.add(names_[call->node], call->index);
}

// The functions that a node is inlined into.
template <class Sink>
void ProbeContexts::add_inliners(Sink& sink, u32 node) {
  inliners_.clear();
  for (; decoded_.nodes()[node].is_inlined(); node = decoded_.nodes()[node].parent)
    inliners_.push_back(node);
  for (; !inliners_.empty(); inliners_.pop_back())
    add_inliner(sink, decoded_.nodes()[inliners_.back()]);
}

template <class Sink>
void ProbeContexts::add_inliner(Sink& sink, const probe::Node& inlinee) {
  if (inlinee.call_site == 0 || !is_named(inlinee.parent))
    sink.clear();
  else
    sink.add(names_[inlinee.parent], inlinee.call_site);
}

// Whether a frame may be among those above it. Most are not, and do not have to look at all of them.
bool ProbeContexts::may_repeat(ContextId context, u32 call_site) {
  auto bit = [](NameId function, u32 site) {
    u64 frame = u64{static_cast<u32>(function)} << 32 | site;
    return u64{1} << (IntHash{}(frame) & 63);
  };
  while (frames_above_.size() < contexts_->end()) {
    const auto& node = contexts_->node(ContextId{static_cast<u32>(frames_above_.size())});
    u64 above = 0;
    if (node.parent != ContextId::none)
      above = frames_above_[static_cast<size_t>(node.parent)] |
              bit(contexts_->node(node.parent).function, node.call_site.line_offset);
    frames_above_.push_back(above);
  }
  u64 above = frames_above_[static_cast<size_t>(context)];
  return above & bit(contexts_->node(context).function, call_site);
}

// Whether the last frames are a block that stands twice, one behind the other.
bool ProbeContexts::ends_repetitive(ContextId context, u32 call_site) const {
  NameId function = contexts_->node(context).function;
  size_t length = 0;
  const auto* below = &contexts_->node(context);
  while (below->parent != ContextId::none) {
    ++length;
    ContextId above = below->parent;
    const auto& frame = contexts_->node(above);
    if (frame.function == function && below->call_site.line_offset == call_site &&
        block_repeats(context, above, length))
      return true;
    below = &frame;
  }
  return false;
}

// Whether the `length` frames up from `last` are those up from `before`, where both end alike.
bool ProbeContexts::block_repeats(ContextId last, ContextId before, size_t length) const {
  for (size_t i = 1; i < length; ++i) {
    const auto &a = contexts_->node(last), &b = contexts_->node(before);
    if (b.parent == ContextId::none || a.call_site != b.call_site) return false;
    last = a.parent;
    before = b.parent;
    if (contexts_->node(last).function != contexts_->node(before).function) return false;
  }
  return true;
}

// The same from scratch, where frames have to go.
ContextId ProbeContexts::compressed(CallPath path, u32 function, u32 node) {
  List list(frames_);
  auto before = CallPath::empty;
  std::vector<CallPath> calls;
  for (auto at = path; at != CallPath::empty; at = paths_.parent(at)) calls.push_back(at);
  for (size_t i = calls.size(); i-- > 0; before = calls[i]) {
    const auto* call = call_at(paths_.call(calls[i]));
    if (call) add_tail_calls(list, before, call->function);
    add_call(list, call);
  }
  add_tail_calls(list, path, function);
  add_inliners(list, node);
  compress();

  auto context = ContextId::none;
  u32 call_site = 0;
  for (const auto& frame : frames_) {
    context = contexts_->child(context, {call_site, 0}, frame.function);
    call_site = frame.call_site;
  }
  return contexts_->child(context, {call_site, 0}, names_[node]);
}

void ProbeContexts::compress() {
  numbers_.clear();
  for (const auto& frame : frames_) {
    u64 key = u64{static_cast<u32>(frame.function)} << 32 | frame.call_site;
    auto [number, fresh] = number_of_frame_.try_emplace(key, static_cast<u32>(numbered_.size()));
    if (fresh) numbered_.push_back(frame);
    numbers_.push_back(number->second);
  }
  unwind::compress_recursion(numbers_, options_.policy.longest_recursion);
  size_t kept = numbers_.size();
  if (options_.policy.max_depth >= 0)
    kept = std::min(kept, static_cast<size_t>(options_.policy.max_depth));
  frames_.clear();
  for (size_t i = numbers_.size() - kept; i < numbers_.size(); ++i)
    frames_.push_back(numbered_[numbers_[i]]);
}

}  // namespace pgokit::generate
