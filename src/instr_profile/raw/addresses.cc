#include "instr_profile/raw/addresses.h"

#include <algorithm>

namespace pgokit::instr_profile {

Addresses::Addresses(const RawPart& part) {
  for (size_t i = 0; i < part.size(); ++i) {
    auto record = part.record(i);
    if (record.function_address) functions_.emplace_back(record.function_address, record.name_hash);
  }
  using Entry = std::pair<u64, u64>;
  std::sort(functions_.begin(), functions_.end(),
            [](const Entry& a, const Entry& b) { return a.first < b.first; });
  for (size_t i = 0; i < part.vtable_count(); ++i) {
    auto vtable = part.vtable(i);
    if (vtable.address)
      vtables_.push_back({vtable.address, vtable.address + vtable.size, vtable.name_hash});
  }
  std::ranges::stable_sort(vtables_, {}, &Vtable::begin);
}

u64 Addresses::function_at(u64 address) const {
  auto at = std::ranges::lower_bound(functions_, address, {}, &std::pair<u64, u64>::first);
  return at != functions_.end() && at->first == address ? at->second : 0;
}

u64 Addresses::vtable_at(u64 address) const {
  auto at = std::ranges::upper_bound(vtables_, address, {}, &Vtable::begin);
  if (at == vtables_.begin()) return 0;
  --at;
  return address < at->end ? at->hash : 0;
}

void Addresses::resolve(SiteValues& values, u64 slide) const {
  size_t site = 0;
  ValueCount* at = values.values.begin();
  for (size_t kind = 0; kind < value_kinds; ++kind)
    for (u32 i = 0; i < values.sites[kind]; ++i, ++site)
      for (u16 n = 0; n < values.sizes[site]; ++n, ++at) {
        if (static_cast<ValueKind>(kind) == ValueKind::indirect_call)
          at->value = function_at(at->value - slide);
        if (static_cast<ValueKind>(kind) == ValueKind::vtable)
          at->value = vtable_at(at->value - slide);
      }
}

}  // namespace pgokit::instr_profile
