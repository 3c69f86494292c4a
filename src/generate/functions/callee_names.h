#pragma once

#include <optional>

#include "base/function_name.h"
#include "probe/table.h"
#include "profile/model/name_table.h"
#include "program/entered.h"

namespace pgokit::generate {

// Names what branches enter. With `probes`, functions whose name in the debug information is not
// that of their symbol (line tables alone have no linkage names) are called as their probes say.
class CalleeNames {
 public:
  CalleeNames(const program::FunctionTable& functions, profile::NameTable& names,
              const probe::Decoded* probes = nullptr)
      : functions_(functions), names_(names), probes_(probes) {}

  // The canonical name of the function that is entered at `target`; nullopt in the middle of a
  // function or at its cold part.
  std::optional<NameId> entered_at(BinaryAddr target) const {
    auto name = name_at(target);
    if (name.empty()) return std::nullopt;
    return names_.intern(name);
  }
  // The name itself; empty for nullopt.
  std::string_view name_at(BinaryAddr target) const {
    auto function = program::entered_function(functions_, target.value);
    if (!function) return {};
    if (auto name = name_in_probes(*function); !name.empty()) return name;
    return canonical_function_name(functions_.name(*function));
  }

 private:
  std::string_view name_in_probes(u32 function) const {
    if (!probes_ || functions_.has_trusted_name(function)) return {};
    for (const auto& range : functions_.ranges_of(function))
      for (const auto& probe : probes_->in(range.start, range.end - 1)) {
        const auto& node = probes_->nodes()[probe.node];
        if (!node.is_inlined()) return probes_->name_of(node);
      }
    return {};
  }

  const program::FunctionTable& functions_;
  profile::NameTable& names_;
  const probe::Decoded* probes_;
};

}  // namespace pgokit::generate
