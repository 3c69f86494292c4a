#include "record/software/context_counter.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace pgokit::record {
namespace {

constexpr u32 cut_flag = 1U << 31;  // of a child
constexpr u32 unknown_child = u32(-1);

u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

// A handler may have a stack of its own, so it is left when the stack pointer is nearer to where it
// was before.
bool is_left(const ThreadContext::Call& handler, u64 stack) {
  return distance(stack, handler.interrupted) < distance(stack, handler.stack);
}

}  // namespace

size_t ContextCounter::PlaceHash::operator()(const Place& place) const {
  return IntHash{}(place.offset ^ u64{place.file} << 48);
}

u32 ContextCounter::place(const AddressSpace& space, u64 address) {
  auto at = counter_.place_of(space, address);
  auto [it, is_new] = place_numbers_.try_emplace(at, static_cast<u32>(places_.size()));
  if (is_new) places_.push_back(at);
  return it->second;
}

// Whoever leaves a handler leaves all that it has called.
void ContextCounter::leave_handlers(ThreadContext& thread, u64 stack) {
  auto& calls = thread.calls;
  while (thread.handler > 0 && is_left(calls[thread.handler - 1], stack)) {
    calls.resize(thread.handler);
    thread.handler = calls.back().outer_handler;
    calls.pop_back();
    thread.node = calls.empty() ? CallTrie::root : calls.back().node;
  }
}

[[gnu::always_inline]] inline void ContextCounter::come_to(ThreadContext& thread, u64 stack) {
  if (thread.handler > 0) [[unlikely]]
    leave_handlers(thread, stack);
  auto& calls = thread.calls;
  if (calls.size() == thread.handler || calls.back().stack >= stack) return;
  do calls.pop_back();
  while (calls.size() > thread.handler && calls.back().stack < stack);
  thread.node = calls.empty() ? CallTrie::root : calls.back().node;
}

[[gnu::always_inline]] inline void ContextCounter::push(ThreadContext& thread,
                                                        const ThreadContext::Call& call) {
  auto& calls = thread.calls;
  if (calls.size() == ThreadContext::most_calls) [[unlikely]]
    calls.clear(), thread.handler = 0, ++cut_;
  calls.push_back(call);
  thread.node = call.node;
}

// Outermost first; each frame but the leaf is where a call returns to.
void ContextCounter::take_chain(ThreadContext& thread, AddressSpace& space, const Registers& regs) {
  thread.known = true;
  unwinder_.frames(space, regs, perf::BranchContexts::most_callers, chain_);
  for (size_t i = chain_.size(); i-- > 1;) {
    auto child = trie_.child(thread.node, place(space, chain_[i].pc));
    cut_ += child.cut;
    push(thread, {.stack = chain_[i].stack - 8, .node = child.node});
  }
}

void ContextCounter::call_handler(ThreadContext& thread, u64 stack, u64 interrupted) {
  push(thread, {.stack = stack, .interrupted = interrupted});
  thread.calls.back().outer_handler = thread.handler;
  thread.handler = static_cast<u32>(thread.calls.size());
}

void ContextCounter::begins(ThreadContext& thread, AddressSpace& space, const Registers& regs,
                            u64 interrupted) {
  // What a handler's own return address is above is the frame that the kernel has made.
  if (!thread.known)
    take_chain(thread, space, regs);
  else if (interrupted)
    call_handler(thread, regs.rsp + 8, interrupted);
  else
    come_to(thread, regs.rsp);
  thread.start = place(space, regs.rip);
  thread.last = StepTable::none;
}

void ContextCounter::ends(ThreadContext& thread, const AddressSpace& space, u64 address) {
  ++rests_[{thread.node, start_of(thread), place(space, address)}];
}

// Numbers of branches ascend as they are met, all of them here.
u32 ContextCounter::noted(u32 number, const AddressSpace& space, const Edge& edge) {
  if (number < ends_.size()) return number;
  bool is_call = edge.kind == EdgeKind::call;
  ends_.resize(number + 1);
  ends_[number] = {place(space, edge.to), is_call ? place(space, edge.return_address()) : 0};
  return number;
}

u32 ContextCounter::number_of(AddressSpace& space, const LoggedBranch& branch) {
  if (branch.indirect) return indirect_number(space, branch);
  const auto& known = space.edge_numbers();
  if (branch.edge < known.size() && known[branch.edge] != no_number) [[likely]]
    return known[branch.edge];
  if (branch.edge >= space.cache().edges()) return no_number;
  u32 number = counter_.number_of(space, EdgeCount{.edge = branch.edge});
  return noted(number, space, space.cache().edge(branch.edge));
}

u32 ContextCounter::indirect_number(AddressSpace& space, const LoggedBranch& branch) {
  size_t hash = IntHash{}(branch.target + u64{branch.edge} * 0xd6e8feb86659fd93u);
  auto& known = known_[hash % most_known];
  if (known.edge == branch.edge && known.target == branch.target &&
      known.numbering == space.numbering()) [[likely]]
    return known.number;
  if (branch.edge >= space.cache().edges()) return no_number;
  EdgeCount one{.edge = branch.edge | scratch::indirect, .target = branch.target};
  Edge edge = space.cache().edge(branch.edge);
  edge.to = branch.target;
  u32 number = noted(counter_.number_of(space, one), space, edge);
  known = {branch.target, space.numbering(), branch.edge, number};
  return number;
}

// Of the step whose branch is made next; it is counted.
[[gnu::always_inline]] inline u32 ContextCounter::step_to(ThreadContext& thread, u32 number) {
  u32 at = thread.last == StepTable::none ? StepTable::none
                                          : steps_.successor(thread.last, number, thread.node);
  if (at == StepTable::none) [[unlikely]]
    at = search_step(thread, number);
  steps_.count(at);
  thread.last = at;
  return at;
}

u32 ContextCounter::search_step(const ThreadContext& thread, u32 number) {
  StepTable::Step step{.node = thread.node, .start = start_of(thread), .branch = number};
  if (steps_.is_full() && steps_.find(step) == StepTable::none) [[unlikely]]
    step.node = CallTrie::root, ++cut_;
  u32 at = steps_.find_or_add(step);
  if (thread.last != StepTable::none) steps_.follows(thread.last, at);
  return at;
}

u32 ContextCounter::start_of(const ThreadContext& thread) const {
  return thread.last == StepTable::none ? thread.start : ends_[steps_[thread.last].branch].to;
}

// What is called by the branch of a step.
[[gnu::always_inline]] inline void ContextCounter::call(ThreadContext& thread, u32 at, u64 stack) {
  if (at >= children_.size()) [[unlikely]]
    children_.resize(steps_.end(), unknown_child);
  u32& child = children_[at];
  if (child == unknown_child) [[unlikely]] {
    auto found = trie_.child(steps_[at].node, ends_[steps_[at].branch].returns_to);
    child = found.node | (found.cut ? cut_flag : 0);
  }
  cut_ += child >> 31;
  push(thread, {.stack = stack, .node = child & ~cut_flag});
}

// A call that has been left without notice is over when there is one where it was.
[[gnu::always_inline]] inline void ContextCounter::make(ThreadContext& thread, u32 number,
                                                        const LoggedBranch& branch) {
  if (branch.call) come_to(thread, branch.stack + 8);
  u32 at = step_to(thread, number);
  if (branch.call)
    call(thread, at, branch.stack);
  else if (branch.indirect)
    come_to(thread, branch.stack);
}

u64 ContextCounter::add(ThreadContext& thread, AddressSpace& space, BranchLog log) {
  u64 branches = 0;
  const auto& known = space.edge_numbers();
  for (LoggedBranch one; log.next(one); ++branches) {
    u32 number = !one.indirect && one.edge < known.size() ? known[one.edge] : no_number;
    if (number == no_number) number = number_of(space, one);
    if (number == no_number) break;
    make(thread, number, one);
  }
  return branches;
}

void ContextCounter::add(ThreadContext& thread, AddressSpace& space, const Edge& edge, u64 stack) {
  u32 number = noted(counter_.number_of(space, edge), space, edge);
  bool is_call = edge.kind == EdgeKind::call;
  make(thread, number, {.call = is_call, .indirect = edge.indirect, .stack = stack});
}

void ContextCounter::hand_over() {
  for (u32 at = 0; at < steps_.end(); ++at) counter_.add(steps_[at].branch, steps_.count_of(at));
}

// Contexts depth first, by what their calls return to: which thread came to them first does not
// show.
std::vector<u32> ContextCounter::order_of_nodes() const {
  const auto& nodes = trie_.nodes();
  std::vector<std::vector<u32>> children(nodes.size());
  for (u32 i = 1; i < nodes.size(); ++i) children[nodes[i].parent].push_back(i);
  std::vector<u32> order, pending{CallTrie::root};
  while (!pending.empty()) {
    order.push_back(pending.back());
    pending.pop_back();
    auto& its = children[order.back()];
    std::ranges::sort(its, std::greater(), [&](u32 node) { return places_[nodes[node].call]; });
    pending.insert(pending.end(), its.begin(), its.end());
  }
  return order;
}

perf::BranchContexts ContextCounter::contexts(const perf::BranchCounts& counts) const {
  perf::BranchContexts all;
  all.cut = cut_;
  auto order = order_of_nodes();
  std::vector<u32> numbers(order.size());
  for (u32 i = 0; i < order.size(); ++i) numbers[order[i]] = i;
  all.nodes.resize(order.size());
  for (u32 i = 1; i < order.size(); ++i) {
    const auto& node = trie_.nodes()[order[i]];
    all.nodes[i] = {numbers[node.parent], places_[node.call]};
  }
  std::vector<u32> branches;
  for (const auto& [from, to] : counter_.branches()) {
    auto at = std::ranges::lower_bound(counts.branches, std::pair(from, to), {},
                                       [](const auto& one) { return std::pair(one.from, one.to); });
    branches.push_back(static_cast<u32>(at - counts.branches.begin()));
  }
  for (u32 at = 0; at < steps_.end(); ++at) {
    const auto& step = steps_[at];
    all.steps.push_back(
        {numbers[step.node], branches[step.branch], places_[step.start], steps_.count_of(at)});
  }
  std::ranges::sort(all.steps, {}, [](const auto& step) {
    return std::tuple(step.node, step.branch, step.start);
  });
  for (const auto& [rest, count] : rests_)
    all.rests.push_back({numbers[rest.node], places_[rest.start], places_[rest.end], count});
  std::ranges::sort(all.rests, {},
                    [](const auto& rest) { return std::tuple(rest.node, rest.start, rest.end); });
  return all;
}

}  // namespace pgokit::record
