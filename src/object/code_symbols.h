#pragma once

// The symbols of a file's code, one for each address: of several names the one that people know.
//
//   CodeSymbols symbols(file);
//   if (const Symbol* symbol = symbols.at(address)) use(symbol->name);      // that it lies in
//   if (const Symbol* symbol = symbols.starting_at(address)) use(symbol->name);

#include <vector>

#include "object/file.h"

namespace pgokit::object {

class CodeSymbols {
 public:
  explicit CodeSymbols(const File& file);  // which stays

  bool empty() const { return symbols_.empty(); }
  // Null: none. One without a size, of assembly code, reaches to the next, in its section.
  const Symbol* at(u64 address) const;
  const Symbol* starting_at(u64 address) const;

 private:
  const File* file_;
  std::vector<Symbol> symbols_;  // ascending
};

// "memcpy" of "memcpy@@GLIBC_2.14": symbol tables of links may say which version it is.
std::string_view without_version(std::string_view name);

}  // namespace pgokit::object
