#include <elf.h>

#include <algorithm>

#include "base/saturated.h"
#include "instrument/merge.h"
#include "instrument/values.h"
#include "profile/model/function_samples.h"

namespace pgokit::instrument {
namespace {

std::string_view name_of(const DumpModule& module) {
  return {module.name, strnlen(module.name, sizeof module.name)};
}

}  // namespace

// Of the build id; without one, of the name.
u32 Merger::other_module(std::string_view build_id, std::string_view name) {
  auto& modules = profile_.modules;
  u32 index = 0;
  if (build_id.empty()) {
    auto it = std::ranges::find_if(modules, [&](const Module& m) {
      return m.build_id.empty() && !m.has_map() && m.path == name;
    });
    index = it == modules.end() ? module_index("") : static_cast<u32>(it - modules.begin());
  } else {
    index = module_index(build_id);
  }
  auto& module = modules[index];
  if (!module.has_map() && (module.path.empty() || name < module.path)) module.path = name;
  return index;
}

// A file may name more than there ever are: each would take memory and time to find.
bool Merger::knows_or_has_room(std::string_view build_id, std::string_view name) const {
  constexpr size_t most = 4096;
  const auto& modules = profile_.modules;
  return modules.size() < most ||
         std::ranges::any_of(
             modules,
             [&](const Module& m) {
               return build_id.empty() ? m.build_id.empty() && !m.has_map() && m.path == name
                                       : m.build_id == build_id;
             });
}

Merger::Place Merger::place_of_value(u32 own, const Dump& dump, const DumpedValue& value) {
  const auto& module = profile_.modules[own];
  const u32 kind = module.sites[value.site].kind;
  // Bit 0 of a function's address is its instruction set there.
  const bool has_mode = kind == MIP_TARGETS && dump.header.machine == EM_ARM;
  const u64 address = has_mode ? value.value & ~u64{1} : value.value;
  const u64 here = address - dump.header.load_bias;
  const Place bare{SiteValue::nowhere, address};
  if (kind == MIP_SIZES) return bare;
  if (value.module > 0 && value.module <= dump.modules.size()) {
    const auto& other = dump.modules[value.module - 1];
    auto id = as_text(Bytes(other.build_id, std::min<u32>(other.build_id_size, 32)));
    if (other.bias == dump.header.load_bias && id == dump.build_id) return {own, here};
    if (id.empty() && name_of(other).empty()) return bare;
    if (!knows_or_has_room(id, name_of(other))) return bare;
    return {other_module(id, name_of(other)), address - other.bias};
  }
  if (kind == MIP_TABLES) return module.find_table(here) ? Place{own, here} : bare;
  const auto* function = module.find(here);
  return function && function->address == here ? Place{own, here} : bare;
}

void Merger::add_values(u32 own, const Dump& dump, u64 weight) {
  if (profile_.modules[own].sites.empty()) return;
  auto read = read_values(profile_.modules[own], dump);
  facts_.unknown_values += read.unknown;
  facts_.implausible_sites += read.implausible;
  auto& dropped = profile_.modules[own].data.values_dropped;
  for (size_t i = 0; i < read.dropped.size(); ++i)
    dropped[i] = add_saturated(dropped[i], multiply_saturated(read.dropped[i], weight));
  for (const auto& value : read.values) {
    auto place = place_of_value(own, dump, value);
    profile_.values.push_back(
        {own, value.site, place.module, place.address, multiply_saturated(value.count, weight)});
  }
  // Many dumps have the same values: kept folded, memory follows the distinct ones.
  constexpr size_t enough = 1 << 16;
  if (profile_.values.size() > 2 * std::max(values_folded_, enough)) {
    fold_values(profile_.values);
    values_folded_ = profile_.values.size();
  }
}

}  // namespace pgokit::instrument
