#include "annotate/code_counts.h"

#include <algorithm>
#include <tuple>

#include "base/saturated.h"
#include "generate/functions/disjoint.h"
#include "program/entered.h"

namespace pgokit::annotate {

using program::CodeIndex;
using program::no_code;

CodeCounts::CodeCounts(const program::Program& program, const samples::Counts& counts)
    : pieces_(generate::disjoint_pieces(counts.ranges)),
      by_source_(counts.branches),
      by_target_(counts.branches) {
  std::erase_if(pieces_, [](const auto& piece) { return piece.count == 0; });
  std::erase_if(by_target_, [](const auto& branch) { return branch.to == samples::external; });
  auto target_first = [](const auto& branch) { return std::tuple(branch.to, branch.from); };
  std::ranges::sort(by_target_, {}, target_first);
  count_functions(program);
}

u64 CodeCounts::at(u64 address) const {
  auto next =
      std::ranges::upper_bound(pieces_, BinaryAddr{address}, {}, &samples::RangeCount::start);
  if (next == pieces_.begin()) return 0;
  const auto& piece = *std::prev(next);
  return address <= piece.last.value ? piece.count : 0;
}

std::span<const samples::BranchCount> CodeCounts::from(u64 address) const {
  return std::ranges::equal_range(by_source_, BinaryAddr{address}, {}, &samples::BranchCount::from);
}

std::span<const samples::BranchCount> CodeCounts::to(u64 address) const {
  return std::ranges::equal_range(by_target_, BinaryAddr{address}, {}, &samples::BranchCount::to);
}

void CodeCounts::count_functions(const program::Program& program) {
  const auto& code = program.code();
  const auto& table = program.functions();
  std::vector<FunctionCount> by_function(table.size());
  for (const auto& piece : pieces_) {
    auto at = code.index_of(piece.start);
    if (at == no_code) continue;
    const program::FunctionRange* range = nullptr;
    for (at = code.at_or_after(at); at != no_code;) {
      u64 address = code.address_of(at).value;
      if (address > piece.last.value) break;
      if (!range || address >= range->end) range = table.find(address);
      if (!range) break;
      auto& function = by_function[range->function];
      function.instructions = add_saturated(function.instructions, piece.count);
      function.hottest = std::max(function.hottest, piece.count);
      function.ran_bytes += code.length(at);
      at = code.at_or_after(CodeIndex(static_cast<u32>(at) + code.length(at)));
    }
  }
  for (const auto& branch : by_target_)
    if (auto entered = entered_function(table, branch.to.value))
      by_function[*entered].entries = add_saturated(by_function[*entered].entries, branch.count);
  for (u32 i = 0; i < by_function.size(); ++i) {
    auto& function = by_function[i];
    if (function.instructions == 0 && function.entries == 0) continue;
    function.function = i;
    for (const auto& range : table.ranges_of(i)) function.bytes += range.end - range.start;
    instructions_ = add_saturated(instructions_, function.instructions);
    functions_.push_back(function);
  }
  std::ranges::stable_sort(functions_, std::greater{}, &FunctionCount::instructions);
}

}  // namespace pgokit::annotate
