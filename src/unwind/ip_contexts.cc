#include "unwind/ip_contexts.h"

#include <algorithm>
#include <cmath>

#include "samples/call_chain.h"

namespace pgokit::unwind {
namespace {

constexpr size_t deepest = 64;  // callers that are kept, the innermost ones

// Where the ranges, or the branches out, of each function are, which stand together for each piece
// of a function.
template <class Entry, class Address>
std::vector<std::vector<const Entry*>> by_function(const binary::FunctionTable& functions,
                                                   const std::vector<Entry>& entries,
                                                   Address address) {
  std::vector<std::vector<const Entry*>> out(functions.size());
  for (const auto& one : entries)
    if (const auto* range = functions.find((one.*address).value))
      out[range->function].push_back(&one);
  return out;
}

u64 part_of(u64 count, double share) {
  return static_cast<u64>(std::llround(static_cast<double>(count) * share));
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
    auto back = chain[i] == samples::external ? binary::no_code : code.index_of(chain[i]);
    if (back == binary::no_code || !code.is_instruction(back)) break;
    auto call = samples::call_before(code, back);
    if (call == binary::no_code) break;
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
  auto key = [](const Context& one) { return std::tie(one.calls, one.function); };
  std::ranges::sort(all, [&](const Context& a, const Context& b) { return key(a) < key(b); });
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && key(all[kept - 1]) == key(all[i]))
      all[kept - 1].samples += all[i].samples;
    else if (kept++ != i)
      all[kept - 1] = std::move(all[i]);
  }
  all.resize(kept);
  return all;
}

ContextCounts IpContexts::divide(const samples::Counts& counts) const {
  const auto& functions = program_.functions();
  const auto& code = program_.code();
  auto contexts = merged();
  std::vector<u64> samples(functions.size());
  for (const auto& one : contexts) samples[one.function] += one.samples;
  auto ranges = by_function(functions, counts.ranges, &samples::RangeCount::start);
  auto branches = by_function(functions, counts.branches, &samples::BranchCount::from);

  ContextCounts out(ContextCounts::Kind::probes);
  for (const auto& one : contexts) {
    double share = static_cast<double>(one.samples) / static_cast<double>(samples[one.function]);
    auto path = CallPath::empty;
    for (auto call : one.calls) path = out.paths.child(path, call);
    out.begin(path);
    for (const auto* range : ranges[one.function])
      if (u64 count = part_of(range->count, share))
        out.add_range({code.index_of(range->start), code.index_of(range->last), count});
    for (const auto* branch : branches[one.function])
      if (u64 count = part_of(branch->count, share);
          count && code.index_of(branch->to) != binary::no_code)
        out.add_branch({code.index_of(branch->from), code.index_of(branch->to), count});
  }
  out.normalize();
  return out;
}

}  // namespace pgokit::unwind
