#pragma once

#include <optional>
#include <span>

#include "base/flat_map.h"
#include "generate/functions/callee_names.h"
#include "program/program.h"
#include "unwind/context_counts.h"

namespace pgokit::generate {

// CalleeNames of all targets of some branches, asked once: any number of threads may look them up.
class KnownCallees {
 public:
  KnownCallees(const program::Program& program, const CalleeNames& callees,
               std::span<const unwind::Branch> branches) {
    for (const auto& branch : branches) {
      auto [known, fresh] = known_.find_or_add(static_cast<u32>(branch.to), {});
      if (fresh) known = callees.entered_at(program.code().address_of(branch.to));
    }
  }

  std::optional<NameId> entered_at(program::CodeIndex target) const {
    const auto* known = known_.find(static_cast<u32>(target));
    return known ? *known : std::nullopt;
  }
  void prefetch(program::CodeIndex target) const { known_.prefetch(static_cast<u32>(target)); }

 private:
  FlatMap<std::optional<NameId>> known_;
};

}  // namespace pgokit::generate
