#include "annotate/code_heat.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/saturated.h"

namespace pgokit::annotate {
namespace {

using program::CodeIndex;
using program::FunctionRange;

// Where each range of the program's functions begins.
using Starts = std::unordered_map<u64, u64>;

// The functions of the order behind each other, then all others as they follow each other now.
Starts starts_in(const program::FunctionTable& table, const std::vector<std::string_view>* order,
                 u64& placed) {
  Starts starts;
  if (!order) {
    for (const auto& range : table.ranges()) starts.emplace(range.start, range.start);
    return starts;
  }
  constexpr u64 alignment = 16;
  std::unordered_map<std::string_view, const FunctionRange*> by_name;
  u64 next = table.ranges().empty() ? 0 : table.ranges().front().start;
  for (const auto& range : table.ranges())
    if (table.is_entry(range)) by_name.try_emplace(table.name(range.function), &range);
  auto put = [&](const FunctionRange& range) {
    if (!starts.emplace(range.start, next).second) return false;
    next = (next + (range.end - range.start) + alignment - 1) / alignment * alignment;
    return true;
  };
  for (auto name : *order)
    if (auto found = by_name.find(name); found != by_name.end()) placed += put(*found->second);
  for (const auto& range : table.ranges()) put(range);
  return starts;
}

}  // namespace

CodeHeat heat_of(const program::Program& program, const CodeCounts& counts,
                 const std::vector<std::string_view>* order) {
  CodeHeat heat;
  const auto& table = program.functions();
  const auto& code = program.code();
  auto starts = starts_in(table, order, heat.placed);
  u64 begin = ~u64{0}, end = 0;
  for (const auto& range : table.ranges()) {
    begin = std::min(begin, starts[range.start]);
    end = std::max(end, starts[range.start] + (range.end - range.start));
  }
  if (end <= begin) return heat;
  u64 first = begin / CodeHeat::page_size;
  heat.pages = (end + CodeHeat::page_size - 1) / CodeHeat::page_size - first;
  std::map<u64, u64> lines;  // instructions by cache line
  for (const auto& piece : counts.pieces()) {
    auto at = code.index_of(piece.start);
    if (at == program::no_code) continue;
    const FunctionRange* range = nullptr;
    for (at = code.at_or_after(at); at != program::no_code;) {
      u64 address = code.address_of(at).value;
      if (address > piece.last.value) break;
      if (!range || address >= range->end) range = table.find(address);
      if (!range) break;
      u64& line = lines[(starts[range->start] + (address - range->start)) / CodeHeat::line_size];
      line = add_saturated(line, piece.count);
      at = code.at_or_after(CodeIndex(static_cast<u32>(at) + code.length(at)));
    }
  }
  constexpr u64 lines_of_page = CodeHeat::page_size / CodeHeat::line_size;
  for (const auto& [line, instructions] : lines) {
    u64 page = line / lines_of_page - first;
    heat.touched_lines.push_back({page, static_cast<u32>(line % lines_of_page), instructions});
    if (heat.touched.empty() || heat.touched.back().number != page)
      heat.touched.push_back({.number = page});
    heat.touched.back().instructions =
        add_saturated(heat.touched.back().instructions, instructions);
    ++heat.touched.back().lines;
  }
  return heat;
}

}  // namespace pgokit::annotate
