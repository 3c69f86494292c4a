#include "bolt/profile.h"

#include <algorithm>
#include <tuple>

#include "base/saturated.h"
#include "base/sort_and_sum.h"
#include "bolt/blocks.h"
#include "isa/decoder.h"

namespace pgokit::bolt {
namespace {

bool has_branch(const Trace& trace) {
  return trace.branch != no_branch && trace.branch != external_origin &&
         trace.branch != external_return;
}

auto ends_of(const BranchRow& row) { return std::tuple(row.from, row.to); }

class ProfileMaker {
 public:
  ProfileMaker(const object::File& file, const Functions& functions, const Traces& traces,
               unsigned threads)
      : file_(file),
        functions_(functions),
        traces_(traces),
        threads_(threads),
        decoder_(isa::Decoder::for_machine(file.machine())) {}

  BranchProfile make() {
    sum_branches();
    find_returns();
    find_hit();
    blocks_ = read_blocks(file_, functions_, hit_, threads_);
    add_branches();
    add_ranges();
    std::ranges::sort(made_.rows, {}, ends_of);
    sum_equal(made_.rows, ends_of, [](BranchRow& sum, const BranchRow& row) {
      sum.count = add_saturated(sum.count, row.count);
      sum.mispredicted = add_saturated(sum.mispredicted, row.mispredicted);
    });
    return std::move(made_);
  }

 private:
  void sum_branches() {
    for (const auto& trace : traces_.list)
      if (has_branch(trace)) branches_.push_back({trace.branch, trace.from, trace.count});
    auto ends = [](const samples::BranchCount& b) { return std::pair(b.from.value, b.to.value); };
    std::ranges::sort(branches_, {}, ends);
    sum_equal(branches_, ends);
  }

  void find_returns() {
    returns_ = traces_.returns;
    BinaryAddr last = no_branch;
    for (const auto& branch : branches_)
      if (branch.from != last && is_return(last = branch.from)) returns_.push_back(last);
    std::ranges::sort(returns_);
  }
  bool is_return(BinaryAddr address) const {
    if (!decoder_ || functions_.index_of(address.value) == Functions::none) return false;
    for (const auto& section : file_.sections()) {
      u64 offset = address.value - section.address;
      if (section.is_code() && offset < section.contents.size())
        return decoder_->decode(section.contents.subspan(offset), address.value).flow ==
               isa::Flow::ret;
    }
    return false;
  }
  bool is_known_return(BinaryAddr branch) const {
    return branch == external_return || std::ranges::binary_search(returns_, branch);
  }

  // Functions of branches and of what they went to.
  void find_hit() {
    auto add = [&](BinaryAddr address) {
      bool same = !hit_.empty() && address.value - functions_.all()[hit_.back()].address <
                                       functions_.all()[hit_.back()].room;
      u32 function = same ? hit_.back() : functions_.index_of(address.value);
      if (function != Functions::none && !same) hit_.push_back(function);
    };
    for (const auto& branch : branches_) add(branch.from);
    for (const auto& trace : traces_.list) add(trace.from);
    std::ranges::sort(hit_);
    auto repeated = std::ranges::unique(hit_);
    hit_.erase(repeated.begin(), repeated.end());
  }

  Location location(BinaryAddr address) const {
    u32 function = functions_.index_of(address.value);
    if (function == Functions::none) return {};
    return {function, static_cast<u32>(address.value - functions_.all()[function].address)};
  }

  void add_branches() {
    auto missed = traces_.mispredicted.begin();
    for (const auto& branch : branches_) {
      auto before = [&](const samples::BranchCount& b) {
        return std::pair(b.from.value, b.to.value) < std::pair(branch.from.value, branch.to.value);
      };
      while (missed != traces_.mispredicted.end() && before(*missed)) ++missed;
      bool any = missed != traces_.mispredicted.end() && missed->from == branch.from &&
                 missed->to == branch.to;
      if (is_known_return(branch.from)) continue;
      BranchRow row{location(branch.from), location(branch.to), any ? missed->count : 0,
                    branch.count};
      bool known = row.from.function != Functions::none || row.to.function != Functions::none;
      if (known) made_.rows.push_back(row);
    }
  }

  void add_ranges() {
    made_.ranges = made_.out_of_range = traces_.outside;
    u32 current = Functions::none;
    for (const auto& trace : traces_.list) {
      if (trace.to == unknown) continue;
      made_.ranges += trace.count;
      auto from = location(trace.from), to = location(trace.to);
      if (from.function == Functions::none || to.function == Functions::none) {
        made_.out_of_range += trace.count;
        continue;
      }
      if (from.function != current) {
        write_falls(current);
        current = from.function;
        start_falls(current);
      }
      bool good = from.function == to.function && from.offset <= to.offset &&
                  (functions_.all()[current].stub || add_falls(trace, from.offset, to.offset));
      if (!good) made_.mismatching += trace.count;
    }
    write_falls(current);
  }

  const FunctionBlocks& blocks_of(u32 function) const {
    return blocks_[static_cast<size_t>(std::ranges::lower_bound(hit_, function) - hit_.begin())];
  }
  // What falls out of each block is summed up from the differences to the block before.
  void start_falls(u32 function) {
    falling_ = &blocks_of(function);
    changes_.assign(falling_->list.size(), 0);
  }

  bool add_falls(const Trace& trace, u32 from, u32 to) {
    const auto& blocks = *falling_;
    const auto& function = functions_.all()[location(trace.from).function];
    u32 first = blocks.block_of(from), last = blocks.block_of(to);
    if (first == FunctionBlocks::none || last == FunctionBlocks::none) return false;
    const auto& block = blocks.list[first];
    bool out_of_call =
        trace.branch != no_branch && !function.holds(trace.branch.value) && from == block.begin &&
        (is_known_return(trace.branch) ? from != 0 : !block.entry && !block.landing_pad);
    if (out_of_call && first > 0 && blocks.list[first - 1].falls &&
        blocks.list[first - 1].ends_in_call)
      --first;
    if (first == last) return true;
    if (!blocks.runs_through(first, last)) return false;
    changes_[first] += trace.count;
    changes_[last] -= trace.count;
    return true;
  }

  void write_falls(u32 function) {
    if (function == Functions::none) return;
    u64 count = 0;
    const auto& blocks = falling_->list;
    for (size_t i = 0; i + 1 < blocks.size(); ++i) {
      count += changes_[i];
      if (count)
        made_.rows.push_back(
            {{function, blocks[i].last}, {function, blocks[i + 1].begin}, 0, count});
    }
  }

  const object::File& file_;
  const Functions& functions_;
  const Traces& traces_;
  unsigned threads_;
  Result<isa::Decoder> decoder_;
  std::vector<samples::BranchCount> branches_;
  std::vector<BinaryAddr> returns_;
  std::vector<u32> hit_;
  std::vector<FunctionBlocks> blocks_;  // in the order of hit_
  const FunctionBlocks* falling_ = nullptr;
  std::vector<u64> changes_;  // modulo 2^64
  BranchProfile made_;
};

}  // namespace

BranchProfile branch_profile(const object::File& file, const Functions& functions,
                             const Traces& traces, unsigned threads) {
  return ProfileMaker(file, functions, traces, threads).make();
}

AddressProfile address_profile(const Functions& functions, std::vector<AddressCount> counts) {
  AddressProfile made;
  auto address = [](const AddressCount& one) { return one.address.value; };
  sort_and_sum(counts, address);
  for (const auto& one : counts) {
    made.samples += one.count;
    u32 function = functions.index_of(one.address.value);
    if (function == Functions::none) {
      made.out_of_range += one.count;
      continue;
    }
    u64 offset = one.address.value - functions.all()[function].address;
    made.rows.push_back({{function, static_cast<u32>(offset)}, one.count});
  }
  return made;
}

}  // namespace pgokit::bolt
