#include "program/functions.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <map>

#include "base/function_name.h"

namespace pgokit::program {
namespace {

// What passes of compilers append to symbols but not to the names in the debug information.
constexpr std::string_view symbol_suffixes[] = {".cleanup",    ".destroy",  ".resume", ".cold",
                                                ".warm",       ".llvm.",    ".part.",  ".isra.",
                                                ".constprop.", ".lto_priv."};

const FunctionRange* covering(std::span<const FunctionRange> by_start, u64 address) {
  auto next = std::ranges::upper_bound(by_start, address, {}, &FunctionRange::start);
  if (next == by_start.begin()) return nullptr;
  const auto& range = *--next;
  return address < range.end ? &range : nullptr;
}

}  // namespace

FunctionTable::FunctionTable(const std::vector<dwarf::FunctionRange>& found,
                             const CodeSymbols& symbols, u64 lowest)
    : symbols_(&symbols) {
  tsl::robin_map<std::string_view, u32> ids;
  for (const auto& range : found) {
    auto [id, added] = ids.try_emplace(range.name, static_cast<u32>(names_.size()));
    if (added) names_.push_back(range.name);
    if (range.begin < range.end && range.begin >= lowest)
      by_function_.push_back({range.begin, range.end, id->second, false});
  }
  status_.resize(names_.size(), NameStatus::matched);
  sort_ranges();
}

void FunctionTable::sort_ranges() {
  by_start_ = by_function_;
  std::ranges::stable_sort(by_function_, {}, &FunctionRange::function);
  std::ranges::stable_sort(by_start_, {}, &FunctionRange::start);
  shared_starts_ = 0;
  for (size_t i = 1, first = 0, last_shared = 0; i < by_start_.size(); ++i) {
    if (by_start_[i].start != by_start_[first].start) first = i;
    // GNU ld makes the entries of dropped copies of an inline function speak of the one it kept.
    if (by_start_[i].function == by_start_[first].function) continue;
    if (last_shared == 0 || by_start_[last_shared].start != by_start_[i].start) ++shared_starts_;
    last_shared = i;
  }
  auto repeated = std::ranges::unique(by_start_, {}, &FunctionRange::start);
  by_start_.erase(repeated.begin(), repeated.end());

  first_of_function_.assign(names_.size() + 1, 0);
  for (const auto& range : by_function_) ++first_of_function_[range.function + 1];
  for (size_t i = 1; i < first_of_function_.size(); ++i)
    first_of_function_[i] += first_of_function_[i - 1];
}

void FunctionTable::add_from_symbols(const object::File& file) {
  tsl::robin_map<std::string_view, u32> ids;
  for (u32 i = 0; i < names_.size(); ++i) ids.try_emplace(names_[i], i);
  std::map<u64, FunctionRange> added;  // rare: most code has debug information

  auto known = [&](u64 address) -> const FunctionRange* {
    auto next = added.upper_bound(address);
    const FunctionRange* ours = next == added.begin() ? nullptr : &std::prev(next)->second;
    auto after = std::ranges::upper_bound(by_start_, address, {}, &FunctionRange::start);
    const FunctionRange* theirs = after == by_start_.begin() ? nullptr : &*--after;
    const FunctionRange* range = !ours || (theirs && theirs->start > ours->start) ? theirs : ours;
    return range && address < range->end ? range : nullptr;
  };
  for (const auto& symbol : file.symbols()) {
    if (symbol.kind != object::SymbolKind::function || symbol.size == 0 || symbol.section == 0)
      continue;
    std::string_view name = strip_suffixes(symbol.name, symbol_suffixes);
    if (const auto* range = known(symbol.address)) {
      if (names_[range->function] != name) {
        status_[range->function] = NameStatus::mismatched;
        other_names_.emplace_back(range->function, name);
      }
      continue;
    }
    auto [id, is_new] = ids.try_emplace(name, static_cast<u32>(names_.size()));
    if (is_new) {
      names_.push_back(name);
      status_.push_back(NameStatus::missing);
    }
    status_[id->second] = NameStatus::missing;
    FunctionRange range{symbol.address, symbol.address + symbol.size, id->second, true};
    added.emplace(symbol.address, range);
    by_function_.push_back(range);
  }
  std::ranges::sort(other_names_);
  u64 shared = shared_starts_;
  sort_ranges();
  shared_starts_ = shared;
}

const FunctionRange* FunctionTable::find(u64 address) const { return covering(by_start_, address); }

const FunctionRange* FunctionTable::starting_at(u64 address) const {
  auto range = std::ranges::lower_bound(by_start_, address, {}, &FunctionRange::start);
  return range != by_start_.end() && range->start == address ? &*range : nullptr;
}

std::span<const FunctionRange> FunctionTable::ranges_of(u32 function) const {
  return std::span(by_function_)
      .subspan(first_of_function_[function],
               first_of_function_[function + 1] - first_of_function_[function]);
}

bool FunctionTable::is_entry(const FunctionRange& range) const {
  auto symbols = symbols_->inside(range.start, range.end);
  // A range that starts inside another one hides its end from the symbols behind.
  auto belongs = [&](const CodeSymbol& symbol) {
    const auto* holder = find(symbol.address);
    return holder && holder->start == range.start;
  };
  bool any_name =
      ranges_of(range.function).size() == 1 || status_[range.function] != NameStatus::matched;
  return std::ranges::any_of(symbols, [&](const CodeSymbol& symbol) {
    return (any_name || canonical_function_name(symbol.name) == names_[range.function]) &&
           belongs(symbol);
  });
}

std::vector<std::string_view> FunctionTable::other_names(u32 function) const {
  std::vector<std::string_view> names;
  auto of_function = std::ranges::equal_range(other_names_, function, {},
                                              &std::pair<u32, std::string_view>::first);
  for (const auto& [id, name] : of_function) names.push_back(name);
  return names;
}

u64 FunctionTable::without_entry() const {
  std::vector<bool> has_entry(names_.size());
  for (const auto& range : by_start_)
    if (!has_entry[range.function] && is_entry(range)) has_entry[range.function] = true;
  u64 count = 0;
  for (u32 i = 0; i < names_.size(); ++i) count += !has_entry[i] && !ranges_of(i).empty();
  return count;
}

}  // namespace pgokit::program
