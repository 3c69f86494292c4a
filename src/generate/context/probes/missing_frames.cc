#include "generate/context/probes/missing_frames.h"

#include <tsl/robin_set.h>

#include <algorithm>

namespace pgokit::generate {
namespace {

using program::CodeIndex;

u64 pair_of(u32 a, u32 b) { return u64{a} << 32 | b; }

}  // namespace

MissingFrames::MissingFrames(const program::Program& program, const CodeFunctions& functions,
                             const unwind::ContextCounts& counts, u64 max_depth)
    : program_(program), functions_(functions), max_depth_(max_depth) {
  const auto& code = program.code();
  tsl::robin_set<u64, IntHash> seen;
  for (const auto& branch : counts.touched_branches()) {
    if (branch.from == program::no_code) continue;
    bool leaves = code.is_call(branch.from) || code.is_jump(branch.from) ||
                  code.is_indirect_jump(branch.from);
    u64 edge = pair_of(static_cast<u32>(branch.from), static_cast<u32>(branch.to));
    if (leaves && seen.insert(edge).second) add_edge(branch.from, branch.to);
  }
  finish();
  answer_all(counts);
}

// What counts as a call or tail call is said by the code: a jump within a function is none, even if
// a damaged record says that it went elsewhere.
void MissingFrames::add_edge(CodeIndex from, CodeIndex to) {
  const auto& code = program_.code();
  const auto* own = program_.functions().find(code.symbol_before(from).value);
  if (!own) return;
  u32 to_function = functions_.at(to);
  if (code.is_call(from)) {
    if (to_function != CodeFunctions::none) calls_.emplace_back(from, to_function);
    return;
  }
  if (code.is_jump(from)) {
    const auto* target = program_.functions().find(code.direct_target(from).value);
    if (!target || target->function == own->function) return;
  }
  u32 from_function = functions_.at(from);
  if (to_function == CodeFunctions::none || functions_.range_at(from) == functions_.range_at(to))
    return;
  is_tail_called_.resize(program_.functions().size());
  is_tail_called_[to_function] = true;
  if (from_function != CodeFunctions::none)
    tail_calls_.push_back({from_function, from, to_function});
}

void MissingFrames::finish() {
  size_t functions = program_.functions().size();
  is_tail_called_.resize(functions);
  visiting_.resize(functions);
  auto unique = [](auto& list) {
    std::ranges::sort(list);
    auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
  };
  unique(calls_);
  unique(tail_calls_);
  first_tail_call_.assign(functions + 1, 0);
  for (const auto& call : tail_calls_) ++first_tail_call_[call.from_function + 1];
  for (size_t i = 0; i < functions; ++i) first_tail_call_[i + 1] += first_tail_call_[i];
}

void MissingFrames::answer_all(const unwind::ContextCounts& counts) {
  const auto& paths = counts.paths;
  auto function_at = [&](CodeIndex at) {
    return at == program::no_code ? CodeFunctions::none : functions_.at(at);
  };
  for (u32 path = 1; path < paths.end(); ++path) {
    auto outer = paths.parent(unwind::CallPath(path));
    if (outer != unwind::CallPath::empty)
      answer(paths.call(outer), function_at(paths.call(unwind::CallPath(path))));
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts.path(i) == unwind::CallPath::empty) continue;
    CodeIndex call = paths.call(counts.path(i));
    for (const auto& range : counts.ranges(i)) {
      answer(call, function_at(range.first));
      answer(call, function_at(range.last));
    }
    for (const auto& branch : counts.branches(i)) answer(call, function_at(branch.from));
  }
}

void MissingFrames::answer(CodeIndex call, u32 function) {
  if (function == CodeFunctions::none || !is_tail_called_[function]) return;
  auto [found, fresh] = answers_.try_emplace(pair_of(static_cast<u32>(call), function));
  if (fresh) found.value() = search(call, function);
}

std::span<const CodeIndex> MissingFrames::between(CodeIndex call, u32 function) const {
  if (function == CodeFunctions::none || !is_tail_called_[function]) return {};
  auto found = answers_.find(pair_of(static_cast<u32>(call), function));
  if (found == answers_.end()) return {};
  return std::span(kept_).subspan(found->second.first, found->second.size);
}

MissingFrames::Ways MissingFrames::search(CodeIndex call, u32 function) {
  auto targets = std::ranges::equal_range(calls_, call, {}, &std::pair<CodeIndex, u32>::first);
  for (const auto& [site, target] : targets)
    if (target == function) return {};
  way_.clear();
  u32 count = 0;
  for (const auto& [site, target] : targets) {
    count += ways_to(target, function);
    if (count > 1) break;
  }
  return count == 1 ? keep(1, 0) : Ways{};
}

// Of one way, what stands in way_ from `first` on.
MissingFrames::Ways MissingFrames::keep(u32 count, size_t first) {
  Ways ways{count, static_cast<u32>(kept_.size()), 0};
  if (count != 1) return ways;
  ways.size = static_cast<u32>(way_.size() - first);
  kept_.insert(kept_.end(), way_.begin() + static_cast<std::ptrdiff_t>(first), way_.end());
  return ways;
}

// The number of ways to get from one function into another by tail calls, as far as is known
// without looking at the calls of `from`; a single one is appended to way_. Going in circles is no
// way, and nor is what lies too deep.
bool MissingFrames::answer_at_once(u32 from, u32 target, u32& ways) {
  if (from == target) return ways = 1, true;
  if (visiting_[from]) return ways = 0, true;
  if (auto known = ways_.find(pair_of(from, target)); known != ways_.end()) {
    const auto& [count, first, size] = known->second;
    ways = count;
    for (u32 i = 0; i < size; ++i) way_.push_back(kept_[first + i]);
    return true;
  }
  bool too_deep = steps_.size() == max_depth_;
  if (too_deep || first_tail_call_[from] == first_tail_call_[from + 1]) return ways = 0, true;
  return false;
}

// Finishes the innermost step.
u32 MissingFrames::leave(u32 target) {
  Step step = steps_.back();
  steps_.pop_back();
  visiting_[step.function] = false;
  if (step.ways != 1) way_.resize(step.way_size);
  ways_[pair_of(step.function, target)] = keep(step.ways, step.way_size);
  return step.ways;
}

u32 MissingFrames::ways_to(u32 from, u32 target) {
  u32 ways = 0;
  auto enter = [&](u32 function) {
    if (answer_at_once(function, target, ways)) return false;
    visiting_[function] = true;
    steps_.push_back({function, first_tail_call_[function], 0, way_.size()});
    return true;
  };
  if (!enter(from)) return ways;
  while (true) {
    // The innermost step has not looked at the tail call `next` yet.
    Step& step = steps_.back();
    if (step.ways > 1 || step.next == first_tail_call_[step.function + 1]) {
      ways = leave(target);
      if (steps_.empty()) return ways;
    } else {
      const auto& call = tail_calls_[step.next];
      way_.push_back(call.site);
      if (enter(call.to_function)) continue;
    }
    Step& caller = steps_.back();
    if (ways == 0) way_.pop_back();
    caller.ways += ways;
    ++caller.next;
  }
}

}  // namespace pgokit::generate
