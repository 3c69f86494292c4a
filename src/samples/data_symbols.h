#pragma once

// The data symbols of a program, by address.
//
//   DataSymbols symbols(file);
//   if (const auto* symbol = symbols.at(address)) use(symbol->name);

#include <vector>

#include "object/file.h"

namespace pgokit::samples {

class DataSymbols {
 public:
  // Names are views into the file.
  explicit DataSymbols(const object::File& file);

  // The last that begins at `address`, as linked, or before it, if it reaches that far; one without
  // a size is taken to. Null: there is none.
  const object::Symbol* at(u64 address) const;

 private:
  std::vector<object::Symbol> symbols_;
};

}  // namespace pgokit::samples
