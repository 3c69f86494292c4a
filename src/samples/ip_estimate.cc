#include "samples/ip_estimate.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "program/flow_graph.h"
#include "samples/flow_balance.h"

namespace pgokit::samples {
namespace {

using program::CodeIndex;
using program::FlowGraph;
using program::no_code;

// What one sample stands for: about as many instructions as a branch stack of 32 entries has.
constexpr double instructions_per_sample = 200;

struct IndirectCall {
  CodeIndex call;
  u64 count = 0;
};

// What one function adds to the whole.
struct FunctionEstimate {
  Counts counts;
  std::vector<IndirectCall> indirect_calls;
  u32 function = 0;
  u64 entered = 0;
  u64 samples = 0;
  double noise = 0;  // expected sum of what chance takes from or adds to the groups, in samples
  double calls = 0, indirect = 0;
};

class FunctionEstimator {
 public:
  FunctionEstimator(const program::CodeMap& code, const program::FunctionTable& functions,
                    u32 function)
      : code_(code),
        functions_(functions),
        graph_(FlowGraph::of_function(code, functions, function)) {}

  FunctionEstimate estimate(std::span<const IpCounts::Seen> ips) {
    lay_out(ips);
    auto flow = balance_flows(outside_ + 1, edges_);
    measure_noise();
    for (u32 i = 0; i < graph_.blocks.size(); ++i) add_block(i, scaled(flow[i]));
    for (size_t i = 0; i < graph_.ways.size(); ++i)
      if (graph_.ways[i].from == FlowGraph::outside)
        add_entry(graph_.blocks[graph_.ways[i].to], scaled(flow[graph_.blocks.size() + i]));
    return std::move(out_);
  }

 private:
  static u64 scaled(double flow) {
    return static_cast<u64>(std::llround(flow * instructions_per_sample));
  }

  // Block i is the edge from node 2i to node 2i+1; the last node is everything outside.
  void lay_out(std::span<const IpCounts::Seen> ips) {
    outside_ = 2 * static_cast<u32>(graph_.blocks.size());
    for (u32 i = 0; i < graph_.blocks.size(); ++i)
      edges_.push_back({2 * i, 2 * i + 1, 0, graph_.blocks[i].instructions});
    for (const auto& one : ips) {
      u32 block = graph_.block_of(one.at);
      if (block == FlowGraph::outside) continue;
      edges_[block].samples += one.count;
      out_.samples += one.count;
    }
    for (const auto& way : graph_.ways)
      edges_.push_back({way.from == FlowGraph::outside ? outside_ : 2 * way.from + 1,
                        way.to == FlowGraph::outside ? outside_ : 2 * way.to, 0, 0});
  }

  // The mean deviation of a number of events that come by chance is 0.8 times its root.
  void measure_noise() {
    auto groups = equal_flows(outside_ + 1, edges_);
    std::vector<u64> samples(edges_.size() + 1);
    for (u32 i = 0; i < edges_.size(); ++i) samples[groups[i]] += edges_[i].samples;
    for (u64 n : samples) out_.noise += 0.8 * std::sqrt(static_cast<double>(n));
  }

  void add_block(u32 number, u64 count) {
    const auto& block = graph_.blocks[number];
    if (count == 0) return;
    out_.counts.ranges.push_back(
        {code_.address_of(block.first), code_.address_of(block.last), count});
    for (CodeIndex at = block.first; at != no_code && at <= block.last;
         at = code_.at_or_after(CodeIndex(static_cast<u32>(at) + code_.length(at))))
      if (code_.is_call(at)) add_call(at, count);
    add_tail_call(number, count);
  }

  void add_branch(CodeIndex from, BinaryAddr to, u64 count) {
    if (count) out_.counts.branches.push_back({code_.address_of(from), to, count});
  }

  void add_call(CodeIndex call, u64 count) {
    out_.calls += static_cast<double>(count);
    BinaryAddr target = code_.direct_target(call);
    if (target.value != 0) return add_branch(call, target, count);
    out_.indirect += static_cast<double>(count);
    out_.indirect_calls.push_back({call, count});
  }

  // A jump out of the function to the entry of another one.
  void add_tail_call(u32 number, u64 count) {
    CodeIndex last = graph_.blocks[number].last;
    if (!code_.is_jump(last)) return;
    BinaryAddr target = code_.direct_target(last);
    const auto* entered = functions_.starting_at(target.value);
    const auto* own = functions_.find(code_.address_of(last).value);
    if (entered && own && entered->function != own->function) add_branch(last, target, count);
  }

  // What enters the function; calls that are known are taken off later.
  void add_entry(const FlowGraph::Block& block, u64 count) {
    out_.entered += count;
    if (count) out_.counts.branches.push_back({external, code_.address_of(block.first), count});
  }

  const program::CodeMap& code_;
  const program::FunctionTable& functions_;
  FlowGraph graph_;
  std::vector<FlowEdge> edges_;
  u32 outside_ = 0;
  FunctionEstimate out_;
};

// Indirect calls are divided among the functions that call chains show.
class CallDivider {
 public:
  CallDivider(const program::CodeMap& code, const program::FunctionTable& functions,
              const IpCounts& seen, const std::vector<FunctionEstimate>& parts)
      : code_(code), functions_(functions), seen_(seen), entries_per_sample_(functions.size()) {
    for (const auto& part : parts)
      entries_per_sample_[part.function] =
          static_cast<double>(part.entered) / static_cast<double>(std::max<u64>(part.samples, 1));
  }

  // False where nothing is known of its targets.
  bool divide(const IndirectCall& site, Counts& counts) const {
    auto targets = std::ranges::equal_range(seen_.calls, site.call, {}, &IpCounts::CallSeen::call);
    double all = 0;
    for (const auto& one : targets) all += calls_of(one);
    if (all <= 0) return false;
    for (const auto& one : targets)
      for (const auto& range : functions_.ranges_of(one.function)) {
        if (!functions_.is_entry(range)) continue;
        auto count = static_cast<u64>(static_cast<double>(site.count) * calls_of(one) / all);
        if (count) counts.branches.push_back({code_.address_of(site.call), {range.start}, count});
      }
    return true;
  }

 private:
  double calls_of(const IpCounts::CallSeen& one) const {
    return static_cast<double>(one.count) * entries_per_sample_[one.function];
  }

  const program::CodeMap& code_;
  const program::FunctionTable& functions_;
  const IpCounts& seen_;
  std::vector<double> entries_per_sample_;
};

struct Share {
  u32 function;
  IpCounts::Seen seen;
};

// The samples of each function together.
std::vector<Share> by_function(const program::CodeMap& code,
                               const program::FunctionTable& functions, const IpCounts& seen) {
  std::vector<Share> shares;
  for (const auto& one : seen.ips)
    if (const auto* range = functions.find(code.address_of(one.at).value))
      shares.push_back({range->function, one});
  std::ranges::stable_sort(shares, {}, &Share::function);
  return shares;
}

// Entries from outside say how often a function was entered in all. Calls that are counted already
// make up a part of that.
void take_off_calls(Counts& counts) {
  auto& branches = counts.branches;
  std::ranges::sort(branches, {}, [](const auto& one) {
    return std::tuple(one.to, one.from != external, one.from);
  });
  BranchCount* entry = nullptr;
  for (auto& branch : branches) {
    if (branch.from == external)
      entry = &branch;
    else if (entry && entry->to == branch.to)
      entry->count -= std::min(entry->count, branch.count);
  }
  std::erase_if(branches, [](const auto& one) { return one.count == 0; });
  normalize(counts);
}

}  // namespace

void IpQuality::add(const IpQuality& other) {
  double all = static_cast<double>(samples + other.samples);
  if (other.samples == 0) return;
  auto mean = [&](double& one, double more) {
    one = (one * static_cast<double>(samples) + more * static_cast<double>(other.samples)) / all;
  };
  mean(likely_overlap, other.likely_overlap);
  mean(indirect_calls, other.indirect_calls);
  mean(calls_without_target, other.calls_without_target);
  samples += other.samples;
  functions = std::max(functions, other.functions);
  well_sampled = std::max(well_sampled, other.well_sampled);
}

IpEstimate estimate_counts(const program::CodeMap& code, const program::FunctionTable& functions,
                           const IpCounts& seen, unsigned threads) {
  auto shares = by_function(code, functions, seen);
  std::vector<size_t> starts;
  std::vector<IpCounts::Seen> ips;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (i == 0 || shares[i].function != shares[i - 1].function) starts.push_back(i);
    ips.push_back(shares[i].seen);
  }
  std::vector<FunctionEstimate> parts(starts.size());
  parallel_for(starts.size(), threads, [&](size_t i, unsigned) {
    size_t end = i + 1 < starts.size() ? starts[i + 1] : ips.size();
    FunctionEstimator estimator(code, functions, shares[starts[i]].function);
    parts[i] = estimator.estimate(std::span(ips).subspan(starts[i], end - starts[i]));
    parts[i].function = shares[starts[i]].function;
  });
  CallDivider divider(code, functions, seen, parts);
  IpEstimate result;
  auto& quality = result.quality;
  double noise = 0, calls = 0, indirect = 0, unknown = 0;
  for (const auto& part : parts) {
    auto& counts = result.counts;
    counts.ranges.insert(counts.ranges.end(), part.counts.ranges.begin(), part.counts.ranges.end());
    counts.branches.insert(counts.branches.end(), part.counts.branches.begin(),
                           part.counts.branches.end());
    quality.samples += part.samples;
    quality.well_sampled += part.samples >= 10;
    for (const auto& site : part.indirect_calls)
      if (!divider.divide(site, counts)) unknown += static_cast<double>(site.count);
    noise += part.noise, calls += part.calls, indirect += part.indirect;
  }
  quality.functions = parts.size();
  if (quality.samples)
    quality.likely_overlap = std::max(0.0, 1 - noise / 2 / static_cast<double>(quality.samples));
  if (calls > 0)
    quality.indirect_calls = indirect / calls, quality.calls_without_target = unknown / calls;
  take_off_calls(result.counts);
  return result;
}

}  // namespace pgokit::samples
