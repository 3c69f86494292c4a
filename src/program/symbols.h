#pragma once

// The symbols that lie in code, by address: they divide a section into the regions that are decoded
// one by one, and tell function entries.
//
//   CodeSymbols symbols(file);
//   for (const auto &symbol : symbols.inside(range.start, range.end)) ...

#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "object/file.h"

namespace pgokit::program {

struct CodeSymbol {
  u64 address = 0;
  std::string_view name;
};

class CodeSymbols {
 public:
  explicit CodeSymbols(const object::File& file);

  // All of them, ascending by address; at one address in the order of the symbol table.
  std::span<const CodeSymbol> all() const { return symbols_; }
  // Those with start <= address < end.
  std::span<const CodeSymbol> inside(u64 start, u64 end) const;

 private:
  std::vector<CodeSymbol> symbols_;
};

// Sections whose code is decoded: executable, not empty, and not the linker's call stubs.
bool is_decoded(const object::Section& section);

}  // namespace pgokit::program
