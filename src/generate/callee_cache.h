#pragma once

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "binary/program.h"
#include "generate/callee_names.h"

namespace pgokit::generate {

// CalleeNames for targets that are asked about again and again.
class CalleeCache {
 public:
  CalleeCache(const binary::Program& program, CalleeNames callees)
      : code_(program.code()), callees_(callees) {}

  std::optional<NameId> entered_at(binary::CodeIndex target) {
    auto [known, fresh] = known_.try_emplace(static_cast<u32>(target));
    if (fresh) known.value() = callees_.entered_at(code_.address_of(target));
    return known->second;
  }

 private:
  const binary::CodeMap& code_;
  CalleeNames callees_;
  tsl::robin_map<u32, std::optional<NameId>, IntHash> known_;
};

}  // namespace pgokit::generate
