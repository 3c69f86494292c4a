#include "instrument/module.h"

#include <algorithm>
#include <tuple>

#include "base/function_name.h"
#include "object/file.h"

namespace pgokit::instrument {

std::string_view Module::name(const Site& site) const {
  if (!site.name_size) return name(functions[site.function]);
  auto text = source_name(site);
  return text.substr(text.rfind(';') + 1);
}

std::string_view Module::source_name(const Function& function) const {
  return function.source == Function::none ? canonical_function_name(name(function))
                                           : name(sources[function.source]);
}

std::string_view Module::source_name(const Site& site) const {
  return site.name_size ? std::string_view(site_names).substr(site.name, site.name_size)
                        : source_name(functions[site.function]);
}

u64 Module::checksum(std::string_view source_name) const {
  auto found =
      std::ranges::lower_bound(sources, source_name, {}, [&](const Source& s) { return name(s); });
  return found != sources.end() && name(*found) == source_name ? found->checksum : 0;
}

void Module::sort_sources() {
  std::vector<u32> order(sources.size()), place(order.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {},
                    [&](u32 i) { return std::tuple(name(sources[i]), sources[i].checksum); });
  std::vector<Source> sorted;
  u64 first = 0;  // checksum of the last name that is known
  for (u32 i : order) {
    const auto& source = sources[i];
    if (sorted.empty() || name(sorted.back()) != name(source)) {
      sorted.push_back(source);
      first = source.checksum;
    } else if (first == 0) {
      sorted.back().checksum = first = source.checksum;
    } else if (first != source.checksum) {
      sorted.back().checksum = 0;
    }
    place[i] = static_cast<u32>(sorted.size() - 1);
  }
  sources = std::move(sorted);
  for (auto& function : functions)
    if (function.source != Function::none) function.source = place[function.source];
}

u64 Module::block_end(const Function& function, u32 block) const {
  auto listed = blocks_of(function);
  u64 start = listed[block].address;
  bool in_one_piece = function.size > 0 && !(function.flags & MIP_BLOCK_ADDRESSES);
  if (in_one_piece && block + 1 == listed.size()) return function.address + function.size;
  u64 next_block = block + 1 < listed.size() ? listed[block + 1].address : 0;
  if (in_one_piece) return next_block;
  auto next = std::ranges::upper_bound(functions, start, {}, &Function::address);
  u64 end = next == functions.end() ? ~u64{0} : next->address;
  if (next_block > start) end = std::min(end, next_block);
  return end == ~u64{0} ? start + 1 : end;
}

const Function* Module::find(u64 address) const {
  auto next = std::ranges::upper_bound(functions, address, {}, &Function::address);
  if (next == functions.begin()) return nullptr;
  // Of several at one address (folded by the linker) the first.
  u64 start = std::prev(next)->address;
  auto first = std::ranges::lower_bound(functions, start, {}, &Function::address);
  if (first->size > 0 && address - start >= first->size) return nullptr;
  return &*first;
}

const Symbol* Module::find_symbol(u64 address) const {
  auto found = std::ranges::lower_bound(symbols, address, {}, &Symbol::address);
  return found != symbols.end() && found->address == address ? &*found : nullptr;
}

const Table* Module::find_table(u64 address) const {
  auto next = std::ranges::upper_bound(tables, address, {}, &Table::address);
  if (next == tables.begin()) return nullptr;
  const auto& table = *std::prev(next);
  return address - table.address < table.size ? &table : nullptr;
}

u32 Module::all_kinds() const {
  u32 kinds = 0;
  for (const auto& function : functions) kinds |= function.kinds;
  return kinds;
}

u32 Module::kinds_of_runs() const {
  constexpr u32 always =
      MIP_COVERAGE | MIP_BLOCK_COVERAGE | MIP_CALLS32 | MIP_ORDER | MIP_CALLS64 | MIP_BLOCKS64;
  return data.dropped[MIP_DROPPED_ORDER] ? always : always | MIP_ORDER_LOG;
}

void Module::make_columns() {
  u32 kinds = all_kinds();
  data.ran.resize(functions.size());
  data.calls.resize(functions.size());
  data.first.resize(functions.size());
  data.values_dropped.resize(sites.size());
  if (kinds & MIP_BLOCKS64) data.executions.resize(counters);
  if (kinds & MIP_BLOCK_COVERAGE) data.block_ran.resize(counters);
}

const Module* Profile::find(std::string_view build_id) const {
  auto it = std::ranges::find(modules, build_id, &Module::build_id);
  return it == modules.end() ? nullptr : &*it;
}

std::string display_name(const Module& module) {
  if (!module.path.empty()) return module.path.substr(module.path.rfind('/') + 1);
  if (module.build_id.empty()) return "(unknown)";
  auto* begin = reinterpret_cast<const u8*>(module.build_id.data());
  return object::hex({begin, std::min<size_t>(module.build_id.size(), 4)}) + "...";
}

std::string kind_names(u32 kinds) {
  struct Named {
    u32 kind;
    const char* name;
  };
  constexpr Named named[] = {
      {MIP_COVERAGE, "functions that ran"},   {MIP_BLOCK_COVERAGE, "blocks that ran"},
      {MIP_CALLS32, "call counts"},           {MIP_CALLS64, "call counts"},
      {MIP_BLOCKS64, "block counts"},         {MIP_ORDER, "order of first runs"},
      {MIP_ORDER_LOG, "order of first runs"}, {MIP_ORDER_CALLS, "order of first runs"},
      {MIP_EDGES, "sampled calls"},           {MIP_TARGETS, "targets of indirect calls"},
      {MIP_TABLES, "tables of functions"},    {MIP_SIZES, "sizes of copies"}};
  std::string text;
  for (const auto& [kind, name] : named)
    if ((kinds & kind) && !text.ends_with(name))
      text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace pgokit::instrument
