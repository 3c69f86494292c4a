#include "unwind/contexts/ip_contexts.h"

#include <algorithm>
#include <cmath>

#include "base/sort_and_sum.h"
#include "samples/call_chain.h"
#include "unwind/contexts/frame_stack.h"

namespace pgokit::unwind {
namespace {

constexpr size_t deepest = 64;  // callers that are kept, the innermost ones

u64 part_of(u64 count, double share) {
  return static_cast<u64>(std::llround(static_cast<double>(count) * share));
}

// The estimates of each function, divided by inline frames: what one of its contexts gets a share
// of.
class FunctionCounts {
 public:
  template <class Record>
  struct Scoped {
    u32 scope;
    Record record;
  };

  // `scopes`: null where code is not divided.
  FunctionCounts(const program::Program& program, const samples::Counts& counts, Scopes* scopes)
      : code_(program.code()),
        ranges_(program.functions().size()),
        branches_(program.functions().size()) {
    const auto& functions = program.functions();
    for (const auto& one : counts.ranges)
      if (const auto* range = functions.find(one.start.value))
        add_range(one, scopes, ranges_[range->function]);
    for (const auto& one : counts.branches)
      if (const auto* range = functions.find(one.from.value))
        add_branch(one, scopes, branches_[range->function]);
    for (auto& list : ranges_) std::ranges::stable_sort(list, {}, &Scoped<Range>::scope);
    for (auto& list : branches_) std::ranges::stable_sort(list, {}, &Scoped<Branch>::scope);
  }

  // By scope.
  std::span<const Scoped<Range>> ranges(u32 function) const { return ranges_[function]; }
  std::span<const Scoped<Branch>> branches(u32 function) const { return branches_[function]; }

 private:
  void add_range(const samples::RangeCount& range, Scopes* scopes,
                 std::vector<Scoped<Range>>& out) {
    auto first = code_.index_of(range.start), last = code_.index_of(range.last);
    pieces_.clear();
    if (scopes)
      scopes->split(first, last, pieces_);
    else
      pieces_.push_back({first, last});
    for (const auto& piece : pieces_)
      out.push_back({piece.scope, {piece.first, piece.last, range.count}});
  }

  void add_branch(const samples::BranchCount& branch, Scopes* scopes,
                  std::vector<Scoped<Branch>>& out) const {
    auto from = code_.index_of(branch.from), to = code_.index_of(branch.to);
    if (to == program::no_code) return;
    out.push_back({scopes ? scopes->scope_at(from) : Scopes::unknown, {from, to, branch.count}});
  }

  const program::CodeMap& code_;
  std::vector<Scopes::Piece> pieces_;
  std::vector<std::vector<Scoped<Range>>> ranges_;  // by function
  std::vector<std::vector<Scoped<Branch>>> branches_;
};

// Adds `share` of a function's counts to a context of each scope, which `begin` opens.
template <class Begin>
void add_share(const FunctionCounts& counts, u32 function, double share, ContextCounts& out,
               const Begin& begin) {
  auto ranges = counts.ranges(function);
  auto branches = counts.branches(function);
  while (!ranges.empty() || !branches.empty()) {
    u32 scope = std::min(ranges.empty() ? ~u32{0} : ranges[0].scope,
                         branches.empty() ? ~u32{0} : branches[0].scope);
    begin(scope);
    for (; !ranges.empty() && ranges[0].scope == scope; ranges = ranges.subspan(1)) {
      auto range = ranges[0].record;
      range.count = part_of(range.count, share);
      if (range.count) out.add_range(range);
    }
    for (; !branches.empty() && branches[0].scope == scope; branches = branches.subspan(1)) {
      auto branch = branches[0].record;
      branch.count = part_of(branch.count, share);
      if (branch.count) out.add_branch(branch);
    }
  }
}

}  // namespace

void IpContexts::add(Chains& chains, std::span<const BinaryAddr> chain) const {
  const auto* leaf = program_.functions().find(chain[0].value);
  if (!leaf) return;
  const auto& code = program_.code();
  auto& calls = chains.calls;
  calls.clear();
  // A chain ends where it leaves the program.
  for (size_t i = 1; i < chain.size() && calls.size() < deepest; ++i) {
    auto back = chain[i] == samples::external ? program::no_code : code.index_of(chain[i]);
    if (back == program::no_code || !code.is_instruction(back)) break;
    auto call = samples::call_before(code, back);
    if (call == program::no_code) break;
    if (calls.empty() || calls.back() != call) calls.push_back(call);  // recursion once
  }
  auto path = CallPath::empty;
  for (size_t i = calls.size(); i-- > 0;) path = chains.paths.child(path, calls[i]);
  ++chains.samples[u64{static_cast<u32>(path)} << 32 | leaf->function];
}

std::vector<IpContexts::Context> IpContexts::merged() const {
  std::vector<Context> all;
  for (const auto& chains : chains_)
    for (const auto& [key, samples] : chains.samples)
      all.push_back({chains.paths.calls(CallPath(static_cast<u32>(key >> 32))),
                     static_cast<u32>(key), samples});
  sort_and_sum(
      all, [](const Context& one) { return std::tie(one.calls, one.function); },
      [](Context& sum, const Context& one) { sum.samples += one.samples; });
  return all;
}

ContextCounts IpContexts::divide(const samples::Counts& counts, const ContextPolicy& policy) const {
  bool by_path = program_.has_probes();
  auto contexts = merged();
  std::vector<u64> samples(program_.functions().size());
  for (const auto& one : contexts) samples[one.function] += one.samples;

  ContextCounts out(by_path ? ContextCounts::Kind::probes : ContextCounts::Kind::lines);
  Scopes scopes(program_, out.names);
  FrameStack frames(scopes, policy);
  frames.start(out.contexts);
  FunctionCounts of_functions(program_, counts, by_path ? nullptr : &scopes);
  for (const auto& one : contexts) {
    auto path = CallPath::empty;
    frames.pop_to(0);
    for (auto call : one.calls) {
      if (by_path)
        path = out.paths.child(path, call);
      else
        frames.push(static_cast<Place>(call));
    }
    double share = static_cast<double>(one.samples) / static_cast<double>(samples[one.function]);
    add_share(of_functions, one.function, share, out, [&](u32 scope) {
      if (by_path)
        out.begin(path);
      else
        out.begin(frames.context(scope), !scopes.scope(scope).callers.empty());
    });
  }
  out.normalize();
  return out;
}

}  // namespace pgokit::unwind
