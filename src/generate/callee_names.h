#pragma once

#include <optional>

#include "base/function_name.h"
#include "binary/functions.h"
#include "profile/name_table.h"

namespace pgokit::generate {

// Names what branches enter.
class CalleeNames {
 public:
  CalleeNames(const binary::FunctionTable& functions, profile::NameTable& names)
      : functions_(functions), names_(names) {}

  // The canonical name of the function that is entered at `target`; nullopt in the middle of a
  // function or at its cold part.
  std::optional<NameId> entered_at(BinaryAddr target) const {
    const auto* range = functions_.starting_at(target.value);
    if (!range || !functions_.is_entry(*range)) return std::nullopt;
    return names_.intern(canonical_function_name(functions_.name(range->function)));
  }

 private:
  const binary::FunctionTable& functions_;
  profile::NameTable& names_;
};

}  // namespace pgokit::generate
