#pragma once

#include <tsl/robin_map.h>

#include <optional>
#include <span>

#include "base/hash.h"
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
      auto [known, fresh] = known_.try_emplace(static_cast<u32>(branch.to));
      if (fresh) known.value() = callees.entered_at(program.code().address_of(branch.to));
    }
  }

  std::optional<NameId> entered_at(program::CodeIndex target) const {
    auto known = known_.find(static_cast<u32>(target));
    return known == known_.end() ? std::nullopt : known->second;
  }

 private:
  tsl::robin_map<u32, std::optional<NameId>, IntHash> known_;
};

}  // namespace pgokit::generate
