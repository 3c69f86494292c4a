#include "perf/branch_contexts.h"

#include "perf/count_coding.h"

namespace pgokit::perf {
namespace {

constexpr u64 version = 1;

using Place = BranchContexts::Place;

class ContextEncoder {
 public:
  ContextEncoder(const BranchContexts& contexts, const BranchCounts& counts)
      : contexts_(contexts), counts_(counts) {}

  std::string encode() {
    out_.number(version), out_.number(contexts_.cut);
    out_.number(contexts_.nodes.size() - 1);
    u64 before = 0;
    for (u32 i = 1; i < contexts_.nodes.size(); ++i) {
      out_.number(i - contexts_.nodes[i].parent);
      out_.place(contexts_.nodes[i].returns_to, before);
    }
    auto step = contexts_.steps.begin();
    auto rest = contexts_.rests.begin();
    for (u32 node = 0; node < contexts_.nodes.size(); ++node) {
      step = write_steps(node, step);
      rest = write_rests(node, rest);
    }
    return out_.take();
  }

 private:
  template <class List>
  static u64 size_of(u32 node, List::const_iterator first, const List& list) {
    u64 size = 0;
    for (auto at = first; at != list.end() && at->node == node; ++at) ++size;
    return size;
  }

  using Steps = std::vector<BranchContexts::Step>;
  Steps::const_iterator write_steps(u32 node, Steps::const_iterator step) {
    u32 branch = 0;
    u64 size = size_of(node, step, contexts_.steps);
    out_.number(size);
    for (; size > 0; --size, ++step) {
      out_.number(step->branch - branch);
      branch = step->branch;
      u64 from = counts_.branches[branch].from.offset;
      out_.place(step->start, from);
      out_.number(step->count);
    }
    return step;
  }

  using Rests = std::vector<BranchContexts::Rest>;
  Rests::const_iterator write_rests(u32 node, Rests::const_iterator rest) {
    u64 size = size_of(node, rest, contexts_.rests), before = 0;
    out_.number(size);
    for (; size > 0; --size, ++rest) {
      out_.place(rest->start, before), out_.place(rest->end, before);
      out_.number(rest->count);
    }
    return rest;
  }

  const BranchContexts& contexts_;
  const BranchCounts& counts_;
  CountEncoder out_;
};

class ContextDecoder {
 public:
  ContextDecoder(Bytes bytes, const BranchCounts& counts) : in_(bytes), counts_(counts) {}

  Result<BranchContexts> decode() {
    if (u64 found = in_.number(); found != version)
      return fail("its counts by context are of version {}, which this pgokit does not know",
                  found);
    result_.cut = in_.number();
    read_nodes();
    for (u32 node = 0; node < result_.nodes.size() && in_.ok(); ++node)
      read_steps(node), read_rests(node);
    if (!in_.ok()) return fail("its counts by context are damaged");
    return std::move(result_);
  }

 private:
  Place place(u64& before) { return in_.place(before, counts_.files.size()); }

  void read_nodes() {
    std::vector<u32> callers{0};  // of each node
    u64 before = 0;
    for (u64 n = in_.number(); n > 0 && in_.ok(); --n) {
      u64 distance = in_.number(), own = result_.nodes.size();
      if (distance == 0 || distance > own) return in_.require(false);
      auto parent = static_cast<u32>(own - distance);
      callers.push_back(callers[parent] + 1);
      in_.require(callers.back() <= BranchContexts::most_callers);
      result_.nodes.push_back({parent, place(before)});
    }
  }

  void read_steps(u32 node) {
    u64 branch = 0;
    for (u64 n = in_.number(); n > 0 && in_.ok(); --n) {
      u64 distance = in_.number();
      if (distance >= counts_.branches.size() - branch) return in_.require(false);
      branch += distance;
      u64 from = counts_.branches[branch].from.offset;
      auto start = place(from);
      result_.steps.push_back({node, static_cast<u32>(branch), start, in_.number()});
    }
  }

  void read_rests(u32 node) {
    u64 before = 0;
    for (u64 n = in_.number(); n > 0 && in_.ok(); --n) {
      auto start = place(before), end = place(before);
      result_.rests.push_back({node, start, end, in_.number()});
    }
  }

  CountDecoder in_;
  const BranchCounts& counts_;
  BranchContexts result_;
};

}  // namespace

std::string encode(const BranchContexts& contexts, const BranchCounts& counts) {
  return ContextEncoder(contexts, counts).encode();
}

Result<BranchContexts> decode_branch_contexts(Bytes bytes, const BranchCounts& counts) {
  return ContextDecoder(bytes, counts).decode();
}

}  // namespace pgokit::perf
