#pragma once

// The functions of the program and the address ranges they own, as llvm-profgen knows them: one
// function per name, whatever the number of ranges (hot and cold part, copies with the same name).
//
//   FunctionTable functions(debug.functions(), symbols, facts);
//   if (const auto *range = functions.find(address)) use(functions.name(range->function));
//
// Ranges come from the subprogram entries of the debug information; for programs with probes, code
// that has a symbol but no debug information is added (`add_from_symbols`).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "dwarf/debug_info.h"
#include "program/symbols.h"

namespace pgokit::program {

struct FunctionRange {
  u64 start = 0, end = 0;
  u32 function = 0;
  bool from_symbol = false;
};

class FunctionTable {
 public:
  FunctionTable() = default;
  // Ranges that begin under `lowest` are left out (linkers leave those of dropped functions at 0).
  FunctionTable(const std::vector<dwarf::FunctionRange>& found, const CodeSymbols& symbols,
                u64 lowest);

  // Makes a function of every code symbol with a size that starts outside all ranges.
  void add_from_symbols(const object::File& file);

  // The range that holds the address; the one that starts exactly there.
  const FunctionRange* find(u64 address) const;
  const FunctionRange* starting_at(u64 address) const;

  std::string_view name(u32 function) const { return names_[function]; }
  // Every range of that function, in the order of the debug information.
  std::span<const FunctionRange> ranges_of(u32 function) const;
  // Whether calls of the function come in at this range (and not at its cold part).
  bool is_entry(const FunctionRange& range) const;

  size_t size() const { return names_.size(); }
  std::span<const FunctionRange> ranges() const { return by_start_; }
  // Start addresses that entries of several functions claim: the first one has it.
  u64 shared_starts() const { return shared_starts_; }
  // Functions with ranges none of which is an entry. Looks at every symbol.
  u64 without_entry() const;
  // Names of symbols in the function's code that differ from its own: other ids that its probes may
  // be filed under.
  std::vector<std::string_view> other_names(u32 function) const;
  // The debug information has the name that the symbols have, or nobody asked (add_from_symbols).
  bool has_trusted_name(u32 function) const { return status_[function] == NameStatus::matched; }

 private:
  enum class NameStatus : u8 { matched, mismatched, missing };

  void sort_ranges();

  const CodeSymbols* symbols_ = nullptr;
  std::vector<std::string_view> names_;
  std::vector<FunctionRange> by_start_;     // one per start address
  std::vector<FunctionRange> by_function_;  // all, grouped
  std::vector<u32> first_of_function_;      // into by_function_; one more than functions
  std::vector<NameStatus> status_;          // of each function
  std::vector<std::pair<u32, std::string_view>> other_names_;  // by function
  u64 shared_starts_ = 0;
};

}  // namespace pgokit::program
