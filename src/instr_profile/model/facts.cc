#include "instr_profile/model/facts.h"

#include <algorithm>

#include "base/function_name.h"

namespace pgokit::instr_profile {

void NameIndex::add(std::string_view name) { add(function_guid(name), name); }

std::string_view NameIndex::find(u64 hash) const {
  using Entry = std::pair<u64, std::string_view>;
  if (!sorted_) std::ranges::sort(names_);
  sorted_ = true;
  auto at = std::ranges::lower_bound(names_, hash, {}, &Entry::first);
  return at != names_.end() && at->first == hash ? at->second : std::string_view();
}

}  // namespace pgokit::instr_profile
