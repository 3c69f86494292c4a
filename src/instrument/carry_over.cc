#include "instrument/carry_over.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "instrument/add_function.h"
#include "instrument/blocks.h"

namespace pgokit::instrument {
namespace {

constexpr u32 several = ~u32{0};

// By name; those that share one with others are `several`.
tsl::robin_map<std::string_view, u32> by_name(const Module& module) {
  tsl::robin_map<std::string_view, u32> numbers;
  for (u32 i = 0; i < module.functions.size(); ++i) {
    auto [it, added] = numbers.try_emplace(module.name(module.functions[i]), i);
    if (!added) it.value() = several;
  }
  return numbers;
}

bool same_graph(const Function& a, const Function& b) {
  return a.signature == b.signature && a.kinds == b.kinds && a.block_count == b.block_count &&
         a.counter_count == b.counter_count;
}

void carry(const Module& from, Module& into, const tsl::robin_map<std::string_view, u32>& names,
           CarriedOver& result) {
  into.data.dumps += from.data.dumps;
  auto own_names = by_name(from);
  for (u32 k = 0; k < from.functions.size(); ++k) {
    const auto& function = from.functions[k];
    auto name = from.name(function);
    auto target = names.find(name);
    if (target == names.end()) {
      ++result.gone;
    } else if (target->second == several || own_names.at(name) == several) {
      ++result.ambiguous;
    } else if (!same_graph(into.functions[target->second], function)) {
      if (result.changed++ == 0) result.first_changed = name;
    } else {
      add_function(into, target->second, from, k, 1);
      ++result.taken;
    }
  }
}

}  // namespace

CarriedOver carry_over(const Profile& profile, const Module& build) {
  CarriedOver result;
  const auto* own = profile.find(build.build_id);
  bool is_known = own && own->has_map() && !build.build_id.empty();
  Module into = is_known ? *own : build;
  into.make_columns();
  auto names = by_name(into);
  for (const auto& module : profile.modules)
    if (module.has_map() && !(is_known && &module == own)) carry(module, into, names, result);
  auto number = is_known ? static_cast<u32>(own - profile.modules.data()) : several;
  for (Edge edge : profile.edges) {
    if (edge.from_module != number || edge.to_module != number) {
      ++result.edges;
      continue;
    }
    edge.from_module = edge.to_module = 0;
    result.profile.edges.push_back(edge);
  }
  for (SiteValue value : profile.values) {
    bool stays = value.to_module == number || value.to_module == SiteValue::nowhere;
    if (!is_known || value.module != number || !stays) {
      ++result.values;
      continue;
    }
    value.module = 0;
    if (value.to_module != SiteValue::nowhere) value.to_module = 0;
    result.profile.values.push_back(value);
  }
  complete_calls(into);
  result.profile.modules.push_back(std::move(into));
  return result;
}

}  // namespace pgokit::instrument
