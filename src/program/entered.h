#pragma once

#include <optional>

#include "program/functions.h"

namespace pgokit::program {

// The function that a branch to `address` enters; nullopt in the middle of one or at its cold part.
inline std::optional<u32> entered_function(const FunctionTable& functions, u64 address) {
  const auto* range = functions.starting_at(address);
  if (!range || !functions.is_entry(*range)) return std::nullopt;
  return range->function;
}

}  // namespace pgokit::program
