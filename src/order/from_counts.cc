#include "order/from_counts.h"

#include <algorithm>
#include <map>

#include "base/saturated.h"
#include "base/sort_and_sum.h"
#include "order/code_functions.h"

namespace pgokit::order {
namespace {

using program::CodeIndex;

// Where the number of executions changes, from one instruction to the next. Numbers wrap around, so
// that what is added is taken away again whatever a file holds.
struct Step {
  u32 at = 0;
  u64 change = 0;
};

class CountAdder {
 public:
  CountAdder(const program::CodeMap& code, const LinkSymbols& symbols, u64 weight, Model& model)
      : code_(code),
        symbols_(symbols),
        functions_(symbols, model),
        weight_(weight),
        model_(model) {}

  void add_calls(std::span<const samples::BranchCount> branches) {
    std::map<std::pair<u32, u32>, u64> calls;  // by symbols, so that numbers follow addresses
    for (const auto& branch : branches) {
      auto source = at(branch.from), target = at(branch.to);
      facts_.branches += source || target;
      if (!source || !target || !target->is_start || source->symbol == target->symbol) continue;
      auto& sum = calls[{source->symbol, target->symbol}];
      sum = add_saturated(sum, branch.count);
      facts_.calls = add_saturated(facts_.calls, branch.count);
    }
    for (const auto& [ends, count] : calls)
      model_.calls.push_back({functions_.function(ends.first), functions_.function(ends.second),
                              multiply_saturated(count, weight_)});
  }

  void add_weights(std::span<const samples::RangeCount> ranges) {
    std::vector<Step> steps;
    for (const auto& range : ranges) {
      auto first = code_.index_of(range.start), last = code_.index_of(range.last);
      if (first == program::no_code || last == program::no_code) continue;
      steps.push_back({static_cast<u32>(first), range.count});
      steps.push_back({static_cast<u32>(last) + 1, 0 - range.count});
    }
    sort_and_sum(steps, &Step::at, [](Step& sum, const Step& one) { sum.change += one.change; });
    u64 times = 0;
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      times += steps[i].change;
      if (times > 0) add_piece(steps[i].at, steps[i + 1].at, times);
    }
  }

  CountFacts facts() const { return facts_; }

 private:
  std::optional<CodeFunctions::At> at(BinaryAddr address) const {
    if (address == samples::external) return std::nullopt;
    return functions_.at(address.value);
  }

  // Instructions that begin in [begin, end) ran that often.
  void add_piece(u32 begin, u32 end, u64 times) {
    auto here = code_.at_or_after(CodeIndex(begin));
    while (here != program::no_code && static_cast<u32>(here) < end) {
      auto function = at(code_.address_of(here));
      u64 leaves = function ? end_of(function->symbol) : 0;
      u64 instructions = 0;
      do {
        ++instructions;
        here = code_.at_or_after(CodeIndex(static_cast<u32>(here) + code_.length(here)));
      } while (here != program::no_code && static_cast<u32>(here) < end &&
               code_.address_of(here).value < leaves);
      if (function) add_weight(function->symbol, multiply_saturated(instructions, times));
    }
  }

  u64 end_of(u32 symbol) const {
    return symbols_.all()[symbol].address + symbols_.all()[symbol].size;
  }

  void add_weight(u32 symbol, u64 instructions) {
    facts_.instructions = add_saturated(facts_.instructions, instructions);
    auto& weight = model_.functions[functions_.function(symbol)].weight;
    weight = add_saturated(weight, multiply_saturated(instructions, weight_));
  }

  const program::CodeMap& code_;
  const LinkSymbols& symbols_;
  CodeFunctions functions_;
  u64 weight_;
  Model& model_;
  CountFacts facts_;
};

}  // namespace

CountFacts add_counts(const samples::Counts& counts, const program::CodeMap& code,
                      const LinkSymbols& symbols, u64 weight, Model& model) {
  CountAdder adder(code, symbols, weight, model);
  adder.add_calls(counts.branches);
  adder.add_weights(counts.ranges);
  return adder.facts();
}

}  // namespace pgokit::order
