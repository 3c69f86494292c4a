#include "instrument/merge.h"

#include <algorithm>
#include <tuple>

#include "base/sort_and_sum.h"
#include "instrument/add_function.h"
#include "instrument/blocks.h"
#include "instrument/map.h"
#include "instrument/profile_file.h"
#include "object/file.h"
#include "profile/model/function_samples.h"

namespace pgokit::instrument {
namespace {

auto ends(const Edge& e) { return std::tie(e.from_module, e.to_module, e.from, e.to); }

void add(u64& sum, u64 value, u64 weight) {
  sum = add_saturated(sum, multiply_saturated(value, weight));
}

// Functions that have the same counters in the same place and the same graph.
bool same(const Module& a, const Function& f, const Module& b, const Function& g) {
  return f.signature == g.signature && f.kinds == g.kinds && f.size == g.size &&
         f.block_count == g.block_count && f.counter_count == g.counter_count &&
         f.site_count == g.site_count && a.name(f) == b.name(g);
}

// Whether two descriptions of a program have the same site under that number.
bool same_site(const Module& a, const Module& b, u32 number) {
  if (number >= a.sites.size()) return false;
  const auto &x = a.sites[number], &y = b.sites[number];
  return x.raw == y.raw && x.address == y.address && x.kind == y.kind;
}

}  // namespace

void add_function(Module& into, u32 i, const Module& from, u32 k, u64 weight) {
  auto& to = into.data;
  const auto& data = from.data;
  add(to.ran[i], data.ran[k], weight);
  add(to.calls[i], data.calls[k], weight);
  add(to.first[i].dumps, data.first[k].dumps, weight);
  add(to.first[i].rank_sum, data.first[k].rank_sum, weight);
  add(to.first[i].microseconds, data.first[k].microseconds, weight);
  const auto &f = into.functions[i], &g = from.functions[k];
  for (u32 s = 0; s < std::min(f.site_count, g.site_count); ++s)
    add(to.values_dropped[f.first_site + s], data.values_dropped[g.first_site + s], weight);
  for (u32 c = 0; c < f.counter_count; ++c) {
    if (f.kinds & MIP_BLOCKS64)
      add(to.executions[f.first_counter + c], data.executions[g.first_counter + c], weight);
    if (f.kinds & MIP_BLOCK_COVERAGE)
      add(to.block_ran[f.first_counter + c], data.block_ran[g.first_counter + c], weight);
  }
}

void fold_edges(std::vector<Edge>& edges) {
  sort_and_sum(edges, ends, [](Edge& sum, const Edge& edge) {
    sum.samples = add_saturated(sum.samples, edge.samples);
    sum.calls = add_saturated(sum.calls, edge.calls);
  });
}

bool Merger::recognizes(Bytes bytes) {
  if (is_profile(bytes) || DumpReader::recognizes(bytes) || looks_like_map_section(bytes))
    return true;
  if (!object::File::recognizes(bytes)) return false;
  auto file = object::File::parse(bytes);
  return file && has_map(*file);
}

bool Merger::has_maps() const { return std::ranges::any_of(profile_.modules, &Module::has_map); }

// Of that build id; made without a map if there is none.
u32 Merger::module_index(std::string_view build_id) {
  auto& modules = profile_.modules;
  auto it = std::ranges::find(modules, build_id, &Module::build_id);
  if (it != modules.end() && !build_id.empty()) return static_cast<u32>(it - modules.begin());
  modules.emplace_back().build_id = build_id;
  return static_cast<u32>(modules.size() - 1);
}

void Merger::add_map(Module module) { take_map(std::move(module), 1); }

u32 Merger::take_map(Module module, u64 weight) {
  u32 index = 0;
  if (!module.build_id.empty()) {
    index = module_index(module.build_id);
  } else {
    // Without a build id: the same program if the counters lie at the same place.
    auto& modules = profile_.modules;
    auto it = std::ranges::find_if(modules, [&](const Module& m) {
      return m.build_id.empty() && m.raw_address == module.raw_address &&
             m.functions.size() == module.functions.size();
    });
    index = it == modules.end() ? module_index("") : static_cast<u32>(it - modules.begin());
  }
  auto& into = profile_.modules[index];
  if (!module.path.empty() && (into.path.empty() || module.path < into.path))
    into.path = module.path;
  if (into.machine == 0) into.machine = module.machine;
  for (size_t i = 0; i < MIP_DROPPED_COUNT; ++i)
    add(into.data.dropped[i], module.data.dropped[i], weight);
  add(into.data.dumps, module.data.dumps, weight);
  if (!module.has_map()) return index;
  if (!into.has_map()) {
    auto data = std::move(into.data);
    auto path = std::move(into.path);
    into = module;
    into.path = std::move(path);
    into.data = {};
    into.data.dumps = data.dumps;
    std::ranges::copy(data.dropped, into.data.dropped);
    into.make_columns();
  }
  auto place = [](const Function& f) { return std::tuple(f.address, f.box); };
  u32 i = 0;
  for (u32 k = 0; k < module.functions.size(); ++k) {
    const auto& function = module.functions[k];
    while (i < into.functions.size() && place(into.functions[i]) < place(function)) ++i;
    if (i < into.functions.size() && place(into.functions[i]) == place(function) &&
        same(into, into.functions[i], module, function))
      add_function(into, i, module, k, weight);
    else
      refuse(into, module, function);
  }
  return index;
}

void Merger::refuse(const Module& into, const Module& from, const Function& function) {
  if (facts_.mismatched++ == 0)
    facts_.first_mismatch = from.name(function), facts_.first_mismatch_in = display_name(into);
}

void Merger::add_profile(const Profile& profile, u64 weight) {
  std::vector<u32> index;
  for (const auto& module : profile.modules) index.push_back(take_map(module, weight));
  for (Edge edge : profile.edges) {
    edge.from_module = index[edge.from_module];
    edge.to_module = index[edge.to_module];
    edge.samples = multiply_saturated(edge.samples, weight);
    edge.calls = multiply_saturated(edge.calls, weight);
    profile_.edges.push_back(edge);
  }
  for (SiteValue value : profile.values) {
    const auto& from = profile.modules[value.module];
    const auto& into = profile_.modules[index[value.module]];
    if (!same_site(into, from, value.site)) {
      ++facts_.unknown_values;
      continue;
    }
    value.module = index[value.module];
    if (value.to_module != SiteValue::nowhere) value.to_module = index[value.to_module];
    value.count = multiply_saturated(value.count, weight);
    profile_.values.push_back(value);
  }
}

Merger::ProcessKey Merger::key_of(const Dump& dump) {
  return {std::string(dump.build_id), dump.header.raw_address, dump.header.start_time,
          dump.header.pid};
}

DumpFacts Merger::see_dumps(u32 file, Bytes bytes, u64 weight) {
  DumpReader reader(bytes);
  while (auto dump = reader.next()) {
    auto [it, added] = chosen_.try_emplace(key_of(*dump));
    auto& chosen = it->second;
    if (!added) ++facts_.superseded;
    u32 sequence = dump->header.sequence;
    if (added || std::tuple(sequence, weight) > std::tuple(chosen.sequence, chosen.weight))
      chosen = {sequence, file, dump->offset, weight};
  }
  return reader.facts();
}

void Merger::add_dumps(u32 file, Bytes bytes, const EachDump& each) {
  DumpReader reader(bytes);
  while (auto dump = reader.next()) {
    const auto& chosen = chosen_[key_of(*dump)];
    if (chosen.file != file || chosen.offset != dump->offset) continue;
    auto* module = module_for(*dump);
    if (!module) continue;
    auto use = add_dump(*module, *dump, chosen.weight);
    ++facts_.dumps;
    facts_.implausible += use.implausible;
    facts_.unknown_order += use.unknown_order;
    facts_.forked += (dump->header.flags & MIP_DUMP_FORKED) != 0;
    facts_.continuous += dump->is_continuous();
    const auto number = static_cast<u32>(module - profile_.modules.data());
    add_edges(*module, *dump, chosen.weight);
    add_values(number, *dump, chosen.weight);
    // Other modules may have been added, so that the first has moved.
    if (each) each(profile_.modules[number], *dump, chosen.weight);
  }
}

Module* Merger::module_for(const Dump& dump) {
  auto& modules = profile_.modules;
  for (auto& module : modules)
    if (!dump.build_id.empty() && module.has_map() && module.build_id == dump.build_id) {
      if (fits(module, dump)) return &module;
      ++facts_.misfits;
      return nullptr;
    }
  // A map without a build id, or a dump: there must be one whose counters fit.
  Module* found = nullptr;
  for (auto& module : modules)
    if (module.has_map() && (dump.build_id.empty() || module.build_id.empty()) &&
        fits(module, dump))
      found = found ? nullptr : &module;
  if (found) {
    ++facts_.without_build_id;
    return found;
  }
  if (facts_.without_map++ == 0)
    facts_.first_without_map =
        fmt::format("{} (build id {})", dump.path.empty() ? "(no path)" : dump.path,
                    dump.build_id.empty() ? "not known" : object::hex(as_bytes(dump.build_id)));
  return nullptr;
}

u64 Merger::function_at(u32 module, u64 address) const {
  const auto* function = profile_.modules[module].find(address);
  return function ? function->address : address;
}

void Merger::add_edges(const Module& module, const Dump& dump, u64 weight) {
  u32 own = static_cast<u32>(&module - profile_.modules.data());
  auto place_of = [&](u64 address) -> std::optional<Place> {
    for (size_t i = 0; i < dump.modules.size(); ++i) {
      const auto& other = dump.modules[i];
      if (address < other.start || address >= other.end) continue;
      u32 size = std::min<u32>(other.build_id_size, sizeof other.build_id);
      if (size == 0) return std::nullopt;
      return Place{module_index(as_text(Bytes(other.build_id, size))), address - other.bias};
    }
    return Place{own, address - dump.header.load_bias};
  };
  for (size_t i = 0; i < dump.edges.size(); ++i) {
    const auto& edge = dump.edges[i];
    if (edge.return_address == 0) continue;
    auto from = place_of(edge.return_address), to = place_of(edge.callee);
    if (!from || !to) {
      ++facts_.edges_elsewhere;
      continue;
    }
    u64 samples = multiply_saturated(edge.samples, weight);
    profile_.edges.push_back(
        {from->module, to->module, from->address, function_at(to->module, to->address), samples,
         multiply_saturated(samples, std::max<u64>(dump.header.edge_rate, 1))});
  }
  // Many dumps have the same edges: kept folded, memory follows the distinct ones.
  constexpr size_t enough = 1 << 16;
  if (profile_.edges.size() > 2 * std::max(folded_, enough)) {
    fold_edges(profile_.edges);
    folded_ = profile_.edges.size();
  }
}

// In an order that does not depend on that of the files; programs only known by calls last.
void Merger::sort_modules() {
  auto& modules = profile_.modules;
  std::vector<u32> order(modules.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](u32 a, u32 b) {
    const auto &x = modules[a], &y = modules[b];
    return std::tuple(!x.has_map(), std::string_view(x.path), std::string_view(x.build_id),
                      x.raw_address, x.functions.size()) <
           std::tuple(!y.has_map(), std::string_view(y.path), std::string_view(y.build_id),
                      y.raw_address, y.functions.size());
  });
  std::vector<Module> sorted;
  std::vector<u32> place(modules.size());
  for (u32 i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(modules[order[i]]));
  }
  modules = std::move(sorted);
  for (auto& edge : profile_.edges) {
    edge.from_module = place[edge.from_module];
    edge.to_module = place[edge.to_module];
  }
  for (auto& value : profile_.values) {
    value.module = place[value.module];
    if (value.to_module != SiteValue::nowhere) value.to_module = place[value.to_module];
  }
}

Profile Merger::finish() {
  sort_modules();
  fold_edges(profile_.edges);
  fold_values(profile_.values);
  for (auto& module : profile_.modules) complete_calls(module);
  return std::move(profile_);
}

}  // namespace pgokit::instrument
