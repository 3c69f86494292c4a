#pragma once

#include <optional>

#include "binary/functions.h"

namespace pgokit::binary {

// The function that a branch to `address` enters; nullopt in the middle of one or at its cold part.
inline std::optional<u32> entered_function(const FunctionTable& functions, u64 address) {
  const auto* range = functions.starting_at(address);
  if (!range || !functions.is_entry(*range)) return std::nullopt;
  return range->function;
}

}  // namespace pgokit::binary
